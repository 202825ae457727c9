"""Containers and iteration: items and elements of values.

Questions: what does `value[key]` denote, and what does iterating over a value give? Followed:
containers (`contents`), batches of loaders, rows of `zip` and `enumerate`, generators, objects with
`__iter__`, `__next__` or `__getitem__`, and the iterators that these return. Anything else is
Unknown. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Evaluate, Scope
from dlint.library_facts import passthrough
from dlint.library_facts.readers import is_dataset_base
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values import default_items, module_names
from dlint.semantics.values.contents import contents
from dlint.semantics.values.solver import (
    AttributeTransfer,
    ConstraintNode,
    ElementTransfer,
    ItemTransfer,
    Key,
    Solver,
)
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    Generated,
    Hyperparameters,
    Instance,
    ModuleValue,
    Namespace,
    Row,
    Value,
    VarArgs,
    WrappedLoader,
    Zipped,
    library_path,
)


def elements(solver: Solver, value: Value) -> ConstraintNode:
    """The node of what iterating over `value` gives."""

    def generate(node: ConstraintNode) -> None:
        if isinstance(value, Row):
            solver.item(value, None, node)
        elif isinstance(value, Generated):
            for produced in value.scope.yields:
                _yielded(solver, produced, value, node)
        elif isinstance(value, AllocationSite) and calls.is_loader(solver, value):
            _loader_element(solver, value, node)
        elif isinstance(value, AllocationSite | Instance):
            _object_element(solver, value, node)
        else:
            solver.element(value, node)

    return solver.node(("elements", value), generate)


def is_generator(value: Value) -> bool:
    """Whether a value is the iterator of a generator function or expression."""
    if isinstance(value, Container):
        origin = value.origin
        return isinstance(origin, ex.Comprehension) and origin.kind == "generator"
    return isinstance(value, Generated)


def becomes_list(solver: Solver, value: Value) -> bool:
    """Whether `list(…)` of a value holds what that gives, and is not the value again.

    A generator is gone through once; of a data set each sample is taken, transforms and all.
    """
    if is_generator(value):
        return True
    match value:
        case AllocationSite(origin=ClassObject(cls=cls)) | Instance(cls=cls):
            return any(map(is_dataset_base, solver.classes.externals(cls)))
        case AllocationSite(origin=External(path=path)):
            return is_dataset_base(path)
    return False


def _yielded(solver: Solver, produced: ex.Yield, value: Generated, node: ConstraintNode) -> None:
    if produced.value is None:
        return
    source = solver.evaluate(produced.value, value.frame)
    if produced.delegates:
        solver.watch(source, lambda inner: solver.element(inner, node))
    else:
        solver.connect(source, node)


def _loader_element(solver: Solver, loader: AllocationSite, node: ConstraintNode) -> None:
    """A batch; a subclass's own `__iter__` decides what becomes of it."""
    cls = attributes.project_class(loader)
    own = None if cls is None else solver.classes.method(cls, "__iter__")
    solver.add(node, Batch(loader))
    if own is not None:
        _object_element(solver, loader, node)


def _object_element(solver: Solver, value: AllocationSite | Instance, node: ConstraintNode) -> None:
    """Iteration by `__iter__` (a generator, or an object with `__next__`), else by index."""
    cls = attributes.project_class(value)
    if cls is None:
        solver.add(node, value if _is_split(value) else UNKNOWN)
        return
    begin = solver.classes.method(cls, "__iter__")
    follow = solver.classes.method(cls, "__next__")
    if begin is not None and begin.yields:
        solver.element(Generated(begin, attributes.entered(solver, value, begin)), node)
    elif begin is not None:
        for result in begin.returns:
            source = solver.evaluate(result, attributes.entered(solver, value, begin))
            solver.watch(source, lambda inner: _iterator(solver, inner, value, node))
    if follow is not None:
        for result in follow.returns:
            solver.connect(solver.evaluate(result, attributes.entered(solver, value, follow)), node)
    if begin is None and follow is None:
        solver.add(node, UNKNOWN)


def _iterator(solver: Solver, inner: Value, outer: Value, node: ConstraintNode) -> None:
    """What `__iter__` returned; itself means that `__next__` is asked."""
    cls = attributes.project_class(inner)
    if cls is None or cls is not attributes.project_class(outer):
        solver.element(inner, node)


def _same_item(
    solver: Solver, value: Value, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    """A part of a batch is a batch, and what a library has is the library's."""
    solver.add(node, value)


def _content(
    solver: Solver, value: Container | VarArgs, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    solver.connect(contents(solver, value, key, optional=optional), node)


def _row_item(
    solver: Solver, value: Row, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    cells = solver.node(("cell", value, key), lambda made: _cell(solver, value.of, key, made))
    solver.connect(cells, node)


def _option(
    solver: Solver,
    value: Namespace | Hyperparameters,
    key: Key,
    node: ConstraintNode,
    *,
    optional: bool,
) -> None:
    """An option by its name: `vars(args)["name"]`, `self.hparams["name"]`."""
    if isinstance(key, str):
        solver.attribute(value, key, node)
    else:
        solver.add(node, UNKNOWN)


def _any_element(
    solver: Solver, value: Value, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    solver.element(value, node)


def _nth_yielded(
    solver: Solver, value: Generated, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    """What unpacking takes of a generator: one part of it, where it yields them one by one."""
    parts = _yields_in_turn(value.scope)
    if isinstance(key, int) and parts is not None and 0 <= key < len(parts):
        _yielded(solver, parts[key], value, node)
    else:
        solver.element(value, node)


def _yields_in_turn(scope: Scope) -> list[ex.Yield] | None:
    """What a generator yields, in order, if nothing decides over it, and no loop repeats it."""
    statements = (s.value for s in scope.body.statements if isinstance(s, Evaluate))
    found = [v for v in statements if isinstance(v, ex.Yield) and not v.delegates]
    return found if len(found) == len(scope.yields) else None


def _object_item(
    solver: Solver,
    value: AllocationSite | Instance,
    key: Key,
    node: ConstraintNode,
    *,
    optional: bool,
) -> None:
    cls = attributes.project_class(value)
    if _is_split(value):
        solver.add(node, value)
        return
    method = None if cls is None else solver.classes.method(cls, "__getitem__")
    if method is None and default_items.flow(solver, value, node):
        return
    if method is None or calls.is_loader(solver, value):
        solver.add(node, UNKNOWN)
        return
    for result in method.returns:
        solver.connect(solver.evaluate(result, solver.root(method)), node)


def _is_split(value: Value) -> bool:
    """Whether a value is a list of the parts of a data set; a part stands for it."""
    return library_path(value) in passthrough.SPLITS


def _cell(solver: Solver, rows: Zipped, key: Key, node: ConstraintNode) -> None:
    """One cell of a row of `enumerate`, `zip` or `.items()`."""
    call, frame = rows.call, rows.frame
    if call.name == "items":
        assert isinstance(call.function, ex.Attribute)
        source = solver.evaluate(call.function.value, frame)
        if key in (1, None):
            solver.watch(source, lambda value: solver.item(value, None, node))
        if key in (0, None):
            solver.add(node, UNKNOWN)
        return
    positions = range(len(call.arguments))
    if call.name == "enumerate":
        if key in (0, None):
            solver.add(node, UNKNOWN)
        positions = range(1) if key in (1, None) and call.arguments else range(0)
        key = None
    for position in positions:
        argument = call.arguments[position]
        if key in (position, None) or argument.star:
            source = solver.evaluate(argument.value, frame)
            solver.watch(source, lambda value: solver.element(value, node))


def _same_element(solver: Solver, value: Batch, node: ConstraintNode) -> None:
    solver.add(node, value)


def _batch_of(solver: Solver, value: WrappedLoader, node: ConstraintNode) -> None:
    solver.add(node, Batch(value.loader, moved=bool(value.by)))


def _any_content(solver: Solver, value: Container | VarArgs, node: ConstraintNode) -> None:
    solver.connect(contents(solver, value, None), node)


def _row_of(solver: Solver, value: Zipped, node: ConstraintNode) -> None:
    solver.add(node, Row(value))


def _produced(solver: Solver, value: Value, node: ConstraintNode) -> None:
    solver.connect(elements(solver, value), node)


def _named_content(
    solver: Solver, value: Container | VarArgs, name: str, node: ConstraintNode
) -> None:
    """`namespace.name`, `config.name`: containers whose items are attributes too."""
    solver.item(value, name, node)


ITEMS: dict[type, ItemTransfer] = {
    Batch: _same_item,
    External: _same_item,
    Container: _content,
    VarArgs: _content,
    Row: _row_item,
    Namespace: _option,
    Hyperparameters: _option,
    Zipped: _any_element,
    Generated: _nth_yielded,
    AllocationSite: _object_item,
    Instance: _object_item,
    ModuleValue: module_names.item,
}
"""What an item of each kind of value is."""

ELEMENTS: dict[type, ElementTransfer] = {
    Batch: _same_element,
    WrappedLoader: _batch_of,
    Container: _any_content,
    VarArgs: _any_content,
    Zipped: _row_of,
    Row: _produced,
    Generated: _produced,
    AllocationSite: _produced,
    Instance: _produced,
}
"""What iterating over each kind of value gives."""

ATTRIBUTES: dict[type, AttributeTransfer] = {Container: _named_content, VarArgs: _named_content}
"""What an attribute of each kind of container is."""
