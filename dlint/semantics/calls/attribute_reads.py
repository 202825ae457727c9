"""Reading attributes: of modules, classes, instances, loaders, batches and library objects.

Question: what may `value.name` denote? Followed: names of modules, methods (also of subclasses,
where only `self` is known), properties, fields by every write in the project, of iterators and
generators' objects by the writes of that one object, arguments of loaders under their names. Given
up on (Unknown): library names with more than `_MOST_DOTS` dots, attributes that nobody writes.
Bounded by the solver's budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dlint.ir.expressions import Expression
from dlint.ir.module import Class, Scope, Store
from dlint.library_facts import loaders
from dlint.semantics.calls import calls
from dlint.semantics.calls.attributes import decorators, entered, project_class, written_on_self
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.calls.callers import Callers
from dlint.semantics.calls.field_writes import field_writes
from dlint.semantics.calls.library_fields import LibraryFields
from dlint.semantics.libraries import hyperparameters
from dlint.semantics.names.global_names import global_name
from dlint.semantics.values.solver import AttributeTransfer, ConstraintNode, Solver
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    External,
    FunctionObject,
    Hyperparameters,
    Instance,
    Literal,
    Method,
    ModuleValue,
    Package,
    Unknown,
    Value,
    WrappedLoader,
    library_path,
)

_MOST_DOTS = 7
"""Library names are no longer; what is, comes of attributes read in a recursion."""


def _of_literal(solver: Solver, value: Literal, name: str, node: ConstraintNode) -> None:
    """A text may name a device: its type says the same of it without the index.

    None has no attributes: whoever reads one has another value there.
    """
    if value == NONE:
        solver.unless_filled(node)
        return
    is_device = name == "type" and isinstance(value.value, str)
    solver.add(node, value if is_device else UNKNOWN)


def _of_library(solver: Solver, value: External, name: str, node: ConstraintNode) -> None:
    if name == "type" and value.path == "torch.device()":
        solver.add(node, value)
        return
    known = "()" not in value.path and value.path.count(".") < _MOST_DOTS
    solver.add(node, External(f"{value.path}.{name}") if known else UNKNOWN)


def _of_batch(solver: Solver, value: Batch, name: str, node: ConstraintNode) -> None:
    solver.add(node, value)


def _of_wrapped(solver: Solver, value: WrappedLoader, name: str, node: ConstraintNode) -> None:
    solver.attribute(value.loader, name, node)


def _of_module(
    solver: Solver, value: ModuleValue | Package, name: str, node: ConstraintNode
) -> None:
    if isinstance(value, ModuleValue):
        if name == "__dict__":
            solver.add(node, value)
            return
        facts = solver.project.load(value.module.path)
        if facts is not None and name in facts.globals:
            solver.connect(global_name(solver, value.module, name), node)
            return
    found = solver.names.member(value, name)
    for member in found:
        solver.add(node, member)
    if not found and isinstance(value, ModuleValue) and value.one_of:
        solver.unless_filled(node)  # it is another one of them that has the name
    elif not found:
        solver.add(node, UNKNOWN)


def _of_class(solver: Solver, value: ClassObject, name: str, node: ConstraintNode) -> None:
    method = solver.classes.method(value.cls, name)
    if method is None:
        solver.connect(field(solver, value.cls, name), node)
        for member, spec in field_writes(solver, value.cls, name).fields:
            if spec.default is not None:  # of the class itself, whatever its objects are given
                solver.connect(solver.evaluate(spec.default, solver.root(member.body)), node)
    elif "classmethod" in decorators(method):
        solver.add(node, Method(method, value))
    else:
        solver.add(node, FunctionObject(method, None))


def _of_object(
    solver: Solver, value: Instance | AllocationSite, name: str, node: ConstraintNode
) -> None:
    cls = project_class(value)
    if (name == "type" and _is_accelerator(value)) or (name == "__dict__" and cls is not None):
        solver.add(node, value)
        return
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


def _is_accelerator(value: Instance | AllocationSite) -> bool:
    """Whether a value is a device that torch chose."""
    return library_path(value).endswith("current_accelerator")


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


def _library_field(solver: Solver, value: AllocationSite, name: str) -> ConstraintNode:
    """An attribute of an object that a library makes: what the project writes to it."""

    def generate(node: ConstraintNode) -> None:
        solver[LibraryFields].ask(value, name, node)
        path = library_path(value)
        solver.add(node, UNKNOWN if "()" in path else External(f"{path}().{name}"))

    return solver.node(("library field", value, name), generate)


def _write_if(
    solver: Solver, store: Store, is_meant: Callable[[Value], bool], node: ConstraintNode
) -> None:
    """What is written to an object flows into `node` where that may be the one that is meant."""
    frame = solver.root(store.scope)
    stored = solver.evaluate(store.value, frame)

    def watch(target: Value) -> None:
        if is_meant(target):
            solver.connect(stored, node)

    solver.watch(solver.evaluate(store.target.value, frame), watch)


def _write_item(
    solver: Solver, mapping: Expression, frame: CallContext, name: str, node: ConstraintNode
) -> None:
    """What a mapping holds under a name, where it holds something there, flows into `node`.

    What is not known of a mapping that a method is given later leaves the defaults alone, as the
    command line does.
    """

    def write(value: Value) -> None:
        if frame.scope.name == "__init__" or not isinstance(value, Unknown):
            solver.item(value, name, node, optional=True)

    solver.watch(solver.evaluate(mapping, frame), write)


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
        writes = field_writes(solver, cls, name)
        for value, frame in writes.in_bodies:
            solver.connect(solver.evaluate(value, frame), node)
        for member, spec in writes.fields:
            solver[Callers].of_field(member, name, spec, node)
        for store in writes.on_self:
            solver.connect(solver.evaluate(store.value, solver.root(store.scope)), node)
        for store in writes.elsewhere:
            _write_if(solver, store, lambda value: project_class(value) in writes.family, node)
        for mapping, frame in writes.by_key:
            _write_item(solver, mapping, frame, name, node)
        if not (writes.in_bodies or writes.fields or writes.on_self or writes.by_key):
            kept = name == hyperparameters.ATTRIBUTE and hyperparameters.are_kept(solver, cls)
            solver.add(node, Hyperparameters(cls) if kept else UNKNOWN)

    return solver.node(("field", cls, name), generate)


ATTRIBUTES: dict[type, AttributeTransfer] = {
    Literal: _of_literal,
    External: _of_library,
    ModuleValue: _of_module,
    Package: _of_module,
    ClassObject: _of_class,
    Batch: _of_batch,
    WrappedLoader: _of_wrapped,
    Instance: _of_object,
    AllocationSite: _of_object,
}
"""What an attribute of each kind of value is."""
