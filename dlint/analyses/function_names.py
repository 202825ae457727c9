"""By which names functions, methods and classes go."""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.values.values import ClassObject, FunctionObject, Method, Value


def names_of(scope: Scope) -> list[str]:
    """The names by which a function is called: of a lambda, those that it is bound to."""
    if scope.kind == "function":
        return [] if scope.name.startswith("__") else [scope.name]
    around = scope.parent.definitions if scope.kind == "lambda" and scope.parent else ()
    return [
        d.name
        for d in around
        if isinstance(d.value, ex.FunctionValue) and d.value.function is scope
    ]


def own_name(value: Value) -> str | None:
    """The name by which a function or class is defined."""
    match value:
        case FunctionObject() | Method():
            return value.scope.name
        case ClassObject():
            return value.cls.name
    return None
