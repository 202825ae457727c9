"""Who calls whom among the functions of a project: callers and callees of one call or function.

Question: which functions may a call enter, and which calls may enter a function. Callees are what
the solver finds for the called expression, over every activation: functions, methods, the
constructor of a class, `__call__` and `forward` of an object. What is unknown is left out: no edge
is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.semantics.calls import attributes
from dlint.semantics.values.values import ClassObject, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Scope

_CALLED = ("__call__", "forward")


def callees_of(context: AnalysisContext, call: ex.Call) -> list[Scope]:
    """The functions of the project that a call may enter."""
    classes = context.solver.classes
    found: list[Scope] = []
    for value in context.values(call.function, call.scope):
        if isinstance(value, FunctionObject | Method):
            found.append(value.scope)
        elif isinstance(value, ClassObject):
            init = classes.method(value.cls, "__init__")
            found += [] if init is None else [init]
        elif (cls := attributes.project_class(value)) is not None:
            methods = (classes.method(cls, name) for name in _CALLED)
            found += [method for method in methods if method is not None]
    return found


def callers_of(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    """The calls of a function in the project."""
    frames = context.evaluator.callers(scope)
    return list(dict.fromkeys(f.call for f in frames if f.call is not None))
