"""Attributes: of modules, classes, instances, loaders, batches and argparse namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir.expressions import Attribute, Call, Parameter, Reference
from dlint.ir.module import Class, Scope, Store
from dlint.library_facts import loaders
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.libraries import argparsing
from dlint.semantics.values import constraints
from dlint.semantics.values.values import (
    UNKNOWN,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Instance,
    Literal,
    Made,
    Method,
    ModuleValue,
    Namespace,
    Package,
    Prepared,
    Rest,
    Value,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Flow, Node

_MOST_DOTS = 7
"""Library names are no longer; what is, comes of attributes read in a recursion."""


def project_class(value: Value) -> Class | None:
    """The project class that a value is an instance of."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Made) and isinstance(value.origin, ClassObject):
        return value.origin.cls
    return None


def read(flow: Flow, value: Value, name: str, node: Node) -> None:
    """What `value.name` denotes flows into `node`."""
    match value:
        case _ if name == "type" and _is_device(value):
            flow.add(node, value)
        case External():
            known = "()" not in value.path and value.path.count(".") < _MOST_DOTS
            flow.add(node, External(f"{value.path}.{name}") if known else UNKNOWN)
        case ModuleValue() | Package():
            _of_module(flow, value, name, node)
        case ClassObject():
            _of_class(flow, value.cls, name, node)
        case Batch():
            flow.add(node, value)
        case Prepared():
            read(flow, value.loader, name, node)
        case Namespace():
            argparsing.default(flow, value, name, node)
        case Instance() | Made():
            _of_object(flow, value, name, node)
        case Container() | Rest():
            from dlint.semantics.values import containers  # containers build on attributes

            containers.item(flow, value, name, node)
        case _:
            flow.add(node, UNKNOWN)


def _is_device(value: Value) -> bool:
    """Whether a value is, or names, a device: its type says the same of it without the index."""
    if isinstance(value, Literal):
        return isinstance(value.value, str)
    if isinstance(value, Made):
        origin = value.origin
        return isinstance(origin, External) and origin.path.endswith("current_accelerator")
    return value == External("torch.device()")


def _of_module(flow: Flow, value: ModuleValue | Package, name: str, node: Node) -> None:
    if isinstance(value, ModuleValue):
        facts = flow.project.load(value.module.path)
        if facts is not None and name in facts.globals:
            flow.connect(constraints.global_name(flow, value.module, name), node)
            return
    found = flow.names.member(value, name)
    for member in found:
        flow.add(node, member)
    if not found:
        flow.add(node, UNKNOWN)


def _of_class(flow: Flow, cls: Class, name: str, node: Node) -> None:
    method = flow.classes.method(cls, name)
    if method is None:
        flow.connect(field(flow, cls, name), node)
    elif "classmethod" in decorators(method):
        flow.add(node, Method(method, ClassObject(cls)))
    else:
        flow.add(node, FunctionObject(method, None))


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


def _of_object(flow: Flow, value: Instance | Made, name: str, node: Node) -> None:
    cls = project_class(value)
    if isinstance(value, Made) and name in loaders.ATTRIBUTES and calls.is_loader(flow, value):
        argument = calls.argument(flow, value, name)
        if argument is not None:
            flow.connect(argument, node)
            return
    if cls is None:
        if isinstance(value, Made) and value.origin == External("builtins.super"):
            _of_super(flow, value, name, node)
        elif isinstance(value, Made):
            flow.connect(_library_field(flow, value, name), node)
        else:
            flow.add(node, UNKNOWN)
        return
    methods = list(_methods(flow, value, cls, name))
    for method in methods:
        bind(flow, method, value, node)
    if not methods:
        own = isinstance(value, Made) and flow.classes.is_iterator(cls)
        flow.connect(_own_field(flow, value, cls, name) if own else field(flow, cls, name), node)


def _own_field(flow: Flow, value: Instance | Made, cls: Class, name: str) -> Node:
    """An attribute of one object: what its own constructor and methods write there."""

    def generate(node: Node) -> None:
        known = False
        for store in flow.project.writing(name):
            method = store.scope
            if flow.classes.method(cls, method.name) is method and written_on_self(store):
                flow.connect(flow.evaluate(store.value, entered(flow, value, method)), node)
                known = True
        if not known:
            flow.connect(field(flow, cls, name), node)

    return flow.node(("own field", value, name), generate)


def entered(flow: Flow, value: Value, method: Scope) -> Frame:
    """The frame in which a method of one object runs: told apart where nothing else is given."""
    if not isinstance(value, Made) or not isinstance(value.origin, ClassObject):
        return flow.root(method)
    if not flow.classes.is_iterator(value.origin.cls):
        return flow.root(method)
    if method.name == "__init__":
        passed = flow.passed[value]
    elif len(method.parameters) == 1:
        passed = Passed(())
    else:
        return flow.root(method)
    return flow.frames.enter(method, value.call, passed, value.frame, None, value)


def _library_field(flow: Flow, value: Made, name: str) -> Node:
    """An attribute of an object that a library makes: what the project writes to it."""

    def generate(node: Node) -> None:
        for store in flow.project.writing(name):
            if written_on_self(store) is None:
                _write_if(flow, store, value, node)
        assert isinstance(value.origin, External)
        path = value.origin.path
        flow.add(node, UNKNOWN if "()" in path else External(f"{path}().{name}"))

    return flow.node(("library field", value, name), generate)


def _write_if(flow: Flow, store: Store, value: Value, node: Node) -> None:
    frame = flow.root(store.scope)
    stored = flow.evaluate(store.value, frame)

    def watch(target: Value) -> None:
        if target == value:
            flow.connect(stored, node)

    flow.watch(flow.evaluate(store.target.value, frame), watch)


def _methods(flow: Flow, value: Instance | Made, cls: Class, name: str) -> Iterator[Scope]:
    """The method that the object has; behind `self` it may be a subclass's own."""
    found = flow.classes.method(cls, name)
    if found is not None:
        yield found
    if isinstance(value, Instance) and not value.exact:
        for descendant in flow.classes.descendants(cls):
            if name in descendant.methods and descendant.methods[name] is not found:
                yield descendant.methods[name]


def bind(flow: Flow, method: Scope, receiver: Value, node: Node) -> None:
    """A method read from its object: a bound method, or the value of a property."""
    kinds = decorators(method)
    if kinds & {"property", "cached_property", "lazy_property"}:
        for result in method.returns:
            flow.connect(flow.evaluate(result, flow.root(method)), node)
    elif "staticmethod" in kinds:
        flow.add(node, FunctionObject(method, None))
    elif "classmethod" in kinds and (cls := project_class(receiver)) is not None:
        flow.add(node, Method(method, ClassObject(cls)))
    else:
        flow.add(node, Method(method, receiver))


def _of_super(flow: Flow, value: Made, name: str, node: Node) -> None:
    scope: Scope | None = value.call.scope
    while scope is not None and scope.owner is None:
        scope = scope.parent
    if scope is None or scope.owner is None:
        flow.add(node, UNKNOWN)
        return
    for ancestor in flow.classes.ancestors(scope.owner)[1:]:
        if name in ancestor.methods:
            bind(flow, ancestor.methods[name], Instance(scope.owner), node)
            return
    flow.add(node, UNKNOWN)


def field(flow: Flow, cls: Class, name: str) -> Node:
    """The node of an attribute of a class's objects: all that is written there in the project."""

    def generate(node: Node) -> None:
        members = flow.classes.family(cls)
        family = set(members)
        known = False
        for member in members:
            for definition in member.body.bindings(name):
                flow.connect(flow.evaluate(definition.value, flow.root(member.body)), node)
                known = True
            known |= _from_constructor(flow, member, name, node)
        for store in flow.project.writing(name):
            known |= _written(flow, store, family, node)
        if not known:
            flow.add(node, UNKNOWN)

    return flow.node(("field", cls, name), generate)


def _from_constructor(flow: Flow, cls: Class, name: str, node: Node) -> bool:
    """Fields of dataclasses and named tuples are the arguments of their constructor."""
    spec = next((s for s in cls.fields if s.name == name), None)
    if spec is None:
        return False
    flow.callers.of_field(cls, name, spec, node)
    return True


def _written(flow: Flow, store: Store, family: set[Class], node: Node) -> bool:
    owner = written_on_self(store)
    value = flow.evaluate(store.value, flow.root(store.scope))
    if owner is not None:
        if owner in family:
            flow.connect(value, node)
        return owner in family
    base = flow.evaluate(store.target.value, flow.root(store.scope))

    def watch(target: Value) -> None:
        if project_class(target) in family:
            flow.connect(value, node)

    flow.watch(base, watch)
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
