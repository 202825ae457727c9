"""Loaders that code which nobody sees may use.

Question: is a loader given to a function that is not known, or kept by an object of a class of
which not all is known? Followed: arguments and attributes by their values. Harmless are functions
of Python that only look at what they are given, or go through it. Budget: the calls and stores of
the functions that a loader comes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import (
    ClassObject,
    FunctionObject,
    Method,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader

_PLAIN = ("builtins.", "tqdm.")


def may_be_used_unseen(loader: Loader) -> bool:
    """Whether code that is not known may go through a loader."""
    context = loader.context
    return any(
        _is_handed_out(context, scope, loader.made)
        or _is_kept_by_others(context, scope, loader.made)
        for scope in context.reached()
    )


def _is_handed_out(context: AnalysisContext, scope: Scope, made: Value) -> bool:
    for call in scope.calls:
        given = (argument.value for argument in call.arguments)
        if any(_holds(context, one, scope, made) for one in given):
            callees = context.values(call.function, scope)
            if not callees or not all(map(_is_known, callees)):
                return True
    return False


def _is_kept_by_others(context: AnalysisContext, scope: Scope, made: Value) -> bool:
    for store in scope.stores:
        owner = attributes.written_on_self(store)
        if owner is None or context.solver.classes.is_whole(owner):
            continue
        if _holds(context, store.value, scope, made):
            return True
    return False


def _holds(context: AnalysisContext, one: ex.Expression, scope: Scope, made: Value) -> bool:
    named = isinstance(one, ex.Reference | ex.Attribute | ex.Call)
    return named and made in context.values(one, scope)


def _is_known(callee: Value) -> bool:
    if isinstance(callee, FunctionObject | Method | ClassObject):
        return True
    return is_of_library(callee) and library_path(callee).startswith(_PLAIN)
