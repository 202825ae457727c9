"""Attributes: of modules, classes, instances, loaders, batches and argparse namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir.expressions import Attribute, Call, Parameter, Reference
from dlint.ir.module import Class, Scope, Store
from dlint.library_facts import loaders
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries import argparsing
from dlint.semantics.values import constraints
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Instance,
    Literal,
    Method,
    ModuleValue,
    Namespace,
    Package,
    Value,
    VarArgs,
    WrappedLoader,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import ConstraintNode, Solver

_MOST_DOTS = 7
"""Library names are no longer; what is, comes of attributes read in a recursion."""


def project_class(value: Value) -> Class | None:
    """The project class that a value is an instance of."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, AllocationSite) and isinstance(value.origin, ClassObject):
        return value.origin.cls
    return None


def read(solver: Solver, value: Value, name: str, node: ConstraintNode) -> None:
    """What `value.name` denotes flows into `node`."""
    match value:
        case _ if name == "type" and _is_device(value):
            solver.add(node, value)
        case External():
            known = "()" not in value.path and value.path.count(".") < _MOST_DOTS
            solver.add(node, External(f"{value.path}.{name}") if known else UNKNOWN)
        case ModuleValue() | Package():
            _of_module(solver, value, name, node)
        case ClassObject():
            _of_class(solver, value.cls, name, node)
        case Batch():
            solver.add(node, value)
        case WrappedLoader():
            read(solver, value.loader, name, node)
        case Namespace():
            argparsing.default(solver, value, name, node)
        case Instance() | AllocationSite():
            _of_object(solver, value, name, node)
        case Container() | VarArgs():
            from dlint.semantics.values import containers  # containers build on attributes

            containers.item(solver, value, name, node)
        case _:
            solver.add(node, UNKNOWN)


def _is_device(value: Value) -> bool:
    """Whether a value is, or names, a device: its type says the same of it without the index."""
    if isinstance(value, Literal):
        return isinstance(value.value, str)
    if isinstance(value, AllocationSite):
        origin = value.origin
        return isinstance(origin, External) and origin.path.endswith("current_accelerator")
    return value == External("torch.device()")


def _of_module(
    solver: Solver, value: ModuleValue | Package, name: str, node: ConstraintNode
) -> None:
    if isinstance(value, ModuleValue):
        facts = solver.project.load(value.module.path)
        if facts is not None and name in facts.globals:
            solver.connect(constraints.global_name(solver, value.module, name), node)
            return
    found = solver.names.member(value, name)
    for member in found:
        solver.add(node, member)
    if not found:
        solver.add(node, UNKNOWN)


def _of_class(solver: Solver, cls: Class, name: str, node: ConstraintNode) -> None:
    method = solver.classes.method(cls, name)
    if method is None:
        solver.connect(field(solver, cls, name), node)
    elif "classmethod" in decorators(method):
        solver.add(node, Method(method, ClassObject(cls)))
    else:
        solver.add(node, FunctionObject(method, None))


def decorators(scope: Scope) -> set[str]:
    """The last names of a function's decorators."""
    found = set()
    for decorator in scope.decorators:
        callee = decorator.function if isinstance(decorator, Call) else decorator
        if isinstance(callee, Reference | Attribute):
            found.add(callee.name)
    return found


_ACCESSORS = frozenset({"property", "cached_property", "lazy_property", "setter", "deleter"})


def is_accessor(scope: Scope) -> bool:
    """Whether a method is run by reading or writing an attribute, so that no call names it."""
    return scope.owner is not None and not _ACCESSORS.isdisjoint(decorators(scope))


def _of_object(
    solver: Solver, value: Instance | AllocationSite, name: str, node: ConstraintNode
) -> None:
    cls = project_class(value)
    if (
        isinstance(value, AllocationSite)
        and name in loaders.ATTRIBUTES
        and calls.is_loader(solver, value)
    ):
        argument = calls.argument(solver, value, name)
        if argument is not None:
            solver.connect(argument, node)
            return
    if cls is None:
        if isinstance(value, AllocationSite) and value.origin == External("builtins.super"):
            _of_super(solver, value, name, node)
        elif isinstance(value, AllocationSite):
            solver.connect(_library_field(solver, value, name), node)
        else:
            solver.add(node, UNKNOWN)
        return
    methods = list(_methods(solver, value, cls, name))
    for method in methods:
        bind(solver, method, value, node)
    if not methods:
        own = isinstance(value, AllocationSite) and solver.classes.is_iterator(cls)
        solver.connect(
            _own_field(solver, value, cls, name) if own else field(solver, cls, name), node
        )


def _own_field(
    solver: Solver, value: Instance | AllocationSite, cls: Class, name: str
) -> ConstraintNode:
    """An attribute of one object: what its own constructor and methods write there."""

    def generate(node: ConstraintNode) -> None:
        known = False
        for store in solver.project.writing(name):
            method = store.scope
            if solver.classes.method(cls, method.name) is method and written_on_self(store):
                solver.connect(solver.evaluate(store.value, entered(solver, value, method)), node)
                known = True
        if not known:
            solver.connect(field(solver, cls, name), node)

    return solver.node(("own field", value, name), generate)


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


def _library_field(solver: Solver, value: AllocationSite, name: str) -> ConstraintNode:
    """An attribute of an object that a library makes: what the project writes to it."""

    def generate(node: ConstraintNode) -> None:
        for store in solver.project.writing(name):
            if written_on_self(store) is None:
                _write_if(solver, store, value, node)
        assert isinstance(value.origin, External)
        path = value.origin.path
        solver.add(node, UNKNOWN if "()" in path else External(f"{path}().{name}"))

    return solver.node(("library field", value, name), generate)


def _write_if(solver: Solver, store: Store, value: Value, node: ConstraintNode) -> None:
    frame = solver.root(store.scope)
    stored = solver.evaluate(store.value, frame)

    def watch(target: Value) -> None:
        if target == value:
            solver.connect(stored, node)

    solver.watch(solver.evaluate(store.target.value, frame), watch)


def _methods(
    solver: Solver, value: Instance | AllocationSite, cls: Class, name: str
) -> Iterator[Scope]:
    """The method that the object has; behind `self` it may be a subclass's own."""
    found = solver.classes.method(cls, name)
    if found is not None:
        yield found
    if isinstance(value, Instance) and not value.exact:
        for descendant in solver.classes.descendants(cls):
            if name in descendant.methods and descendant.methods[name] is not found:
                yield descendant.methods[name]


def bind(solver: Solver, method: Scope, receiver: Value, node: ConstraintNode) -> None:
    """A method read from its object: a bound method, or the value of a property."""
    kinds = decorators(method)
    if kinds & {"property", "cached_property", "lazy_property"}:
        for result in method.returns:
            solver.connect(solver.evaluate(result, solver.root(method)), node)
    elif "staticmethod" in kinds:
        solver.add(node, FunctionObject(method, None))
    elif "classmethod" in kinds and (cls := project_class(receiver)) is not None:
        solver.add(node, Method(method, ClassObject(cls)))
    else:
        solver.add(node, Method(method, receiver))


def _of_super(solver: Solver, value: AllocationSite, name: str, node: ConstraintNode) -> None:
    scope: Scope | None = value.call.scope
    while scope is not None and scope.owner is None:
        scope = scope.parent
    if scope is None or scope.owner is None:
        solver.add(node, UNKNOWN)
        return
    for ancestor in solver.classes.ancestors(scope.owner)[1:]:
        if name in ancestor.methods:
            bind(solver, ancestor.methods[name], Instance(scope.owner), node)
            return
    solver.add(node, UNKNOWN)


def field(solver: Solver, cls: Class, name: str) -> ConstraintNode:
    """The node of an attribute of a class's objects: all that is written there in the project."""

    def generate(node: ConstraintNode) -> None:
        members = solver.classes.family(cls)
        family = set(members)
        known = False
        for member in members:
            for definition in member.body.bindings(name):
                solver.connect(solver.evaluate(definition.value, solver.root(member.body)), node)
                known = True
            known |= _from_constructor(solver, member, name, node)
        for store in solver.project.writing(name):
            known |= _written(solver, store, family, node)
        if not known:
            solver.add(node, UNKNOWN)

    return solver.node(("field", cls, name), generate)


def _from_constructor(solver: Solver, cls: Class, name: str, node: ConstraintNode) -> bool:
    """Fields of dataclasses and named tuples are the arguments of their constructor."""
    spec = next((s for s in cls.fields if s.name == name), None)
    if spec is None:
        return False
    solver.callers.of_field(cls, name, spec, node)
    return True


def _written(solver: Solver, store: Store, family: set[Class], node: ConstraintNode) -> bool:
    owner = written_on_self(store)
    value = solver.evaluate(store.value, solver.root(store.scope))
    if owner is not None:
        if owner in family:
            solver.connect(value, node)
        return owner in family
    base = solver.evaluate(store.target.value, solver.root(store.scope))

    def watch(target: Value) -> None:
        if project_class(target) in family:
            solver.connect(value, node)

    solver.watch(base, watch)
    return False


def written_on_self(store: Store) -> Class | None:
    """The class whose method writes this attribute on its own object."""
    base, scope = store.target.value, store.scope
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
