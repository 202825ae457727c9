"""Wrappers: the functions of the project that decorators put in the place of a function.

Question: which code runs around a function whenever it is called? Followed are decorators of the
project, those that are made by a call (`@seeded(3)`) too, which return one function of their own.
Given up on: decorators of libraries, and those that are objects. Linear in the decorators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.semantics.values.values import FunctionObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


def wrappers(context: AnalysisContext, scope: Scope) -> Iterator[Scope]:
    """The functions that run in the place of one, each of which may call it."""
    for decorator in scope.decorators:
        is_made = isinstance(decorator, ex.Call)
        callee = decorator.function if isinstance(decorator, ex.Call) else decorator
        found = context.solver.names.static(callee, scope.module.body)
        own = [value.scope for value in found if isinstance(value, FunctionObject)]
        if len(own) == 1 and len(found) == 1:
            made = _returned(own[0])
            wrapper = _returned(made) if is_made and made is not None else made
            if wrapper is not None:
                yield wrapper


def _returned(scope: Scope) -> Scope | None:
    """The one function of its own that a function returns."""
    results = [ex.unnamed(result) for result in scope.returns]
    found = {r.function for r in results if isinstance(r, ex.FunctionValue)}
    return found.pop() if len(found) == 1 and len(results) == 1 else None
