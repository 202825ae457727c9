"""Decorators that may give a function other arguments than its callers do.

Question: may a decorator fill in what a call leaves out, so that the default of the signature does
not hold? Followed: decorators of libraries by name; those of the project by the calls that their
inner functions make of what they decorate. One whose wrapper hands on just what it is given
(`function(*args, **kwargs)`) fills in nothing, nor does one that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.ir.expressions import (
    Argument,
    Attribute,
    Call,
    Expression,
    Parameter,
    Reference,
    Subscript,
)
from dlint.ir.module import Scope
from dlint.library_facts.rebinding import CHANGING, REBINDING
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import External, FunctionObject


class Rebinding:
    """Which functions have such decorators, each asked once; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._known: dict[Scope, bool] = {}

    def fills_in(self, scope: Scope) -> bool:
        """Whether a decorator may give a function what its callers leave out."""
        of_class = scope.owner.decorators if scope.owner and scope.name == "__init__" else ()
        decorators = (*scope.decorators, *of_class)
        if not decorators:
            return False
        if scope not in self._known:
            self._known[scope] = any(self._is_one(d, scope.module.body) for d in decorators)
        return self._known[scope]

    def _is_one(self, decorator: Expression, scope: Scope) -> bool:
        callee = decorator.function if isinstance(decorator, Call) else decorator
        for value in self._solver.names.static(callee, scope):
            if isinstance(value, External) and value.path in REBINDING:
                return True
            if isinstance(value, FunctionObject) and _rebinds(value.scope):
                return True
        return False


def _rebinds(decorator: Scope) -> bool:
    """Whether what a decorator puts in the place of a function calls it with other arguments."""
    inner = [scope for scope in decorator.module.scopes if _is_within(scope, decorator)]
    calls = (call for scope in inner for call in scope.calls if _is_decorated(call, decorator))
    changed = {name for scope in inner for name in _changed(scope)}
    return any(not _is_handed_on(a, changed) for call in calls for a in call.arguments)


def _is_within(scope: Scope | None, outer: Scope) -> bool:
    while scope is not None and scope is not outer:
        scope = scope.parent
    return scope is outer


def _is_decorated(call: Call, decorator: Scope) -> bool:
    """Whether a call is of a parameter of the decorator, or of a function around the call."""
    callee, scope = call.function, call.scope.parent
    if not isinstance(callee, Reference) or callee.definition is not None:
        return False
    while scope is not None and _is_within(scope, decorator):
        if any(spec.name == callee.name for spec in scope.parameters):
            return True
        scope = scope.parent
    return False


def _is_handed_on(argument: Argument, changed: set[str]) -> bool:
    """Whether an argument is one that the caller of the wrapper gave."""
    value = argument.value
    if not isinstance(value, Reference) or value.definition is None or value.name in changed:
        return False
    return isinstance(value.definition.value, Parameter)


def _changed(scope: Scope) -> Iterator[str]:
    """The names of the dicts that a function writes items to."""
    written = (store.target.value for store in scope.stores if isinstance(store.target, Subscript))
    methods = (call.function for call in scope.calls)
    changing = (m.value for m in methods if isinstance(m, Attribute) and m.name in CHANGING)
    yield from (base.name for base in (*written, *changing) if isinstance(base, Reference))
