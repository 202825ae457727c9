"""Calls of functions and classes of the project that raise on every path.

Question: does a call raise whatever it is given, because all that it may enter does. Followed:
functions, methods of objects whose class is known, and constructors. Given up on: decorated ones,
generators and coroutines, whose bodies run later; classes with a `__new__`; stubs, which only say
that they are still to be written (`raise NotImplementedError`); what a function calls itself.
Budget: the blocks of what is entered are looked at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.completions import Completion, completions
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values.values import ClassObject, FunctionObject, Instance, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.values.values import Value

_ALWAYS = frozenset({Completion.RAISE})
_STUBS = frozenset({"NotImplementedError", "NotImplemented"})


def certain_raise(context: AnalysisContext, call: ex.Call) -> str | None:
    """Why a call raises whatever it is given, as the end of a sentence; None where it may not."""
    callees = context.solver.values(call.function, context.solver.root(call.scope))
    if not callees or any(isinstance(c, Method) and not _is_of_object(c) for c in callees):
        return None
    raises = (_raises(entered(context, callee)) for callee in callees)
    return "always raises" if all(raises) else None


def _is_of_object(method: Method) -> bool:
    return isinstance(method.receiver, Instance)


def entered(context: AnalysisContext, callee: Value) -> Scope | None:
    """The function that a call of something enters; None where that is not certain."""
    scope, classes = None, context.solver.classes
    match callee:
        case FunctionObject() if callee.scope.owner is None:
            scope = callee.scope
        case Method() if not isinstance(callee.receiver, Instance) or callee.receiver.exact:
            scope = callee.scope
        case ClassObject() if not (callee.cls.decorators or classes.method(callee.cls, "__new__")):
            scope = classes.method(callee.cls, "__init__")
    return None if scope is None or scope.decorators else scope


def _raises(scope: Scope | None) -> bool:
    if scope is None or scope.yields or scope.is_async:
        return False
    return completions(scope.body) == _ALWAYS and not _is_stub(scope)


def _is_stub(scope: Scope) -> bool:
    """Whether a function says that it is still to be written."""
    return any(
        isinstance(part, ex.Reference) and part.name in _STUBS
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )
