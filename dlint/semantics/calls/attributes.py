"""Attributes: whose they are, and what about a method is plain to see.

Questions: of which project class is a value an object; which decorators does a function carry; on
whose own object does a method write an attribute; in which frame does a method of one object run?
Read off the lowered form and the lineages; a `self` under another name than the first parameter's
is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable

from dlint.ir.expressions import Attribute, Call, Expression, Parameter, Reference
from dlint.ir.module import Class, Scope, Store
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import AllocationSite, ClassObject, Instance, Value


def project_class(value: Value) -> Class | None:
    """The project class that a value is an instance of."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, AllocationSite) and isinstance(value.origin, ClassObject):
        return value.origin.cls
    return None


def decorators(scope: Scope) -> set[str]:
    """The last names of a function's decorators, whatever imports call them."""
    found = set()
    for decorator in scope.decorators:
        callee = decorator.function if isinstance(decorator, Call) else decorator
        if isinstance(callee, Reference | Attribute):
            found.add(callee.own_name)
    return found


_GETTERS = frozenset({"property", "cached_property", "lazy_property"})
_ACCESSORS = _GETTERS | {"setter", "deleter"}


def is_accessor(scope: Scope) -> bool:
    """Whether a method is run by reading or writing an attribute, so that no call names it."""
    return scope.owner is not None and not _ACCESSORS.isdisjoint(decorators(scope))


def getter_of(solver: Solver, objects: Iterable[Value], name: str) -> Scope | None:
    """The one property that an attribute of some objects runs, whichever of them it is read of."""
    found = set[Scope | None]()
    for value in objects:
        cls = project_class(value)
        found.add(None if cls is None else solver.classes.method(cls, name))
        if cls is not None and isinstance(value, Instance) and not value.exact:
            found |= {x.methods[name] for x in solver.classes.descendants(cls) if name in x.methods}
    getter = found.pop() if len(found) == 1 else None
    is_read = getter is not None and not _GETTERS.isdisjoint(decorators(getter))
    return getter if is_read else None


def written_on_self(store: Store) -> Class | None:
    """The class whose method writes this attribute on its own object."""
    return class_of_self(store.target.value, store.scope)


def class_of_self(base: Expression, scope: Scope) -> Class | None:
    """The class of whose method, or of a function in it, an expression is the own object."""
    if not isinstance(base, Reference):
        return None
    owning: Scope | None = scope
    while owning is not None and owning.owner is None:
        owning = owning.parent
    if owning is None or not owning.parameters or base.name != owning.parameters[0].name:
        return None
    if base.definition is not None and not isinstance(base.definition.value, Parameter):
        return None
    return owning.owner


def entered(solver: Solver, value: Value, method: Scope) -> CallContext:
    """The frame in which a method of one object runs: told apart where nothing else is given."""
    if not isinstance(value, AllocationSite) or not isinstance(value.origin, ClassObject):
        return solver.root(method)
    if not solver.classes.is_iterator(value.origin.cls):
        return solver.root(method)
    if method.name == "__init__":
        passed = solver.passed[value]
    elif len(method.parameters) == 1:
        passed = CallArguments(())
    else:
        return solver.root(method)
    return solver.frames.enter(method, value.call, passed, value.frame, None, value)
