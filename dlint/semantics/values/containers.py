"""Containers and iteration: items, elements, and what mutations add to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.library_facts import frameworks, passthrough
from dlint.semantics.calls import arguments, attributes, calls, members
from dlint.semantics.values.values import (
    UNKNOWN,
    Batch,
    Container,
    External,
    Generated,
    Instance,
    Made,
    Namespace,
    Prepared,
    Rest,
    Row,
    Value,
    Zipped,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Flow, Node

Key = str | int | None
"""A constant key or position; None stands for any."""


def element(flow: Flow, value: Value, node: Node) -> None:
    """What iterating over `value` gives flows into `node`."""
    match value:
        case Batch():
            flow.add(node, value)
        case Prepared():
            flow.add(node, Batch(value.loader, moved=bool(value.by)))
        case Container() | Rest():
            flow.connect(contents(flow, value, None), node)
        case Zipped():
            flow.add(node, Row(value))
        case Row() | Generated() | Made() | Instance():
            flow.connect(elements(flow, value), node)
        case _:
            flow.add(node, UNKNOWN)


def elements(flow: Flow, value: Value) -> Node:
    """The node of what iterating over `value` gives."""

    def generate(node: Node) -> None:
        if isinstance(value, Row):
            item(flow, value, None, node)
        elif isinstance(value, Generated):
            for produced in value.scope.yields:
                _yielded(flow, produced, value, node)
        elif isinstance(value, Made) and calls.is_loader(flow, value):
            _loader_element(flow, value, node)
        elif isinstance(value, Made | Instance):
            _object_element(flow, value, node)
        else:
            element(flow, value, node)

    return flow.node(("elements", value), generate)


def _yielded(flow: Flow, produced: ex.Yield, value: Generated, node: Node) -> None:
    if produced.value is None:
        return
    source = flow.evaluate(produced.value, value.frame)
    if produced.delegates:
        flow.watch(source, lambda inner: element(flow, inner, node))
    else:
        flow.connect(source, node)


def _loader_element(flow: Flow, loader: Made, node: Node) -> None:
    """A batch; a subclass's own `__iter__` decides what becomes of it."""
    cls = attributes.project_class(loader)
    own = None if cls is None else flow.classes.method(cls, "__iter__")
    flow.add(node, Batch(loader))
    if own is not None:
        _object_element(flow, loader, node)


def _object_element(flow: Flow, value: Made | Instance, node: Node) -> None:
    """Iteration by `__iter__` (a generator, or an object with `__next__`), else by index."""
    cls = attributes.project_class(value)
    if cls is None:
        flow.add(node, value if _is_split(value) else UNKNOWN)
        return
    begin = flow.classes.method(cls, "__iter__")
    follow = flow.classes.method(cls, "__next__")
    if begin is not None and begin.yields:
        element(flow, Generated(begin, attributes.entered(flow, value, begin)), node)
    elif begin is not None:
        for result in begin.returns:
            source = flow.evaluate(result, attributes.entered(flow, value, begin))
            flow.watch(source, lambda inner: _iterator(flow, inner, value, node))
    if follow is not None:
        for result in follow.returns:
            flow.connect(flow.evaluate(result, attributes.entered(flow, value, follow)), node)
    if begin is None and follow is None:
        flow.add(node, UNKNOWN)


def _iterator(flow: Flow, inner: Value, outer: Value, node: Node) -> None:
    """What `__iter__` returned; itself means that `__next__` is asked."""
    cls = attributes.project_class(inner)
    if cls is None or cls is not attributes.project_class(outer):
        element(flow, inner, node)


def item(flow: Flow, value: Value, key: Key, node: Node, *, optional: bool = False) -> None:
    """What `value[key]` (or unpacking) gives flows into `node`.

    `optional`: a key that is not there gives nothing, rather than Unknown.
    """
    match value:
        case Batch():
            flow.add(node, value)
        case Container() | Rest():
            flow.connect(contents(flow, value, key, optional=optional), node)
        case Row():
            cells = flow.node(("cell", value, key), lambda made: _cell(flow, value.of, key, made))
            flow.connect(cells, node)
        case Namespace():
            if isinstance(key, str):
                attributes.read(flow, value, key, node)
            else:
                flow.add(node, UNKNOWN)
        case External():
            flow.add(node, value)
        case Zipped() | Generated():
            element(flow, value, node)
        case Made() | Instance():
            _object_item(flow, value, node)
        case _:
            flow.add(node, UNKNOWN)


def _object_item(flow: Flow, value: Made | Instance, node: Node) -> None:
    cls = attributes.project_class(value)
    if _is_split(value):
        flow.add(node, value)
        return
    method = None if cls is None else flow.classes.method(cls, "__getitem__")
    if method is None or calls.is_loader(flow, value):
        flow.add(node, UNKNOWN)
        return
    for result in method.returns:
        flow.connect(flow.evaluate(result, flow.root(method)), node)


def _is_split(value: Value) -> bool:
    """Whether a value is a list of the parts of a data set; a part stands for it."""
    origin = value.origin if isinstance(value, Made) else None
    return isinstance(origin, External) and origin.path in passthrough.SPLITS


def _cell(flow: Flow, rows: Zipped, key: Key, node: Node) -> None:
    """One cell of a row of `enumerate`, `zip` or `.items()`."""
    call, frame = rows.call, rows.frame
    if call.name == "items":
        assert isinstance(call.function, ex.Attribute)
        source = flow.evaluate(call.function.value, frame)
        if key in (1, None):
            flow.watch(source, lambda value: item(flow, value, None, node))
        if key in (0, None):
            flow.add(node, UNKNOWN)
        return
    positions = range(len(call.arguments))
    if call.name == "enumerate":
        if key in (0, None):
            flow.add(node, UNKNOWN)
        positions = range(1) if key in (1, None) and call.arguments else range(0)
        key = None
    for position in positions:
        argument = call.arguments[position]
        if key in (position, None) or argument.star:
            source = flow.evaluate(argument.value, frame)
            flow.watch(source, lambda value: element(flow, value, node))


def contents(flow: Flow, value: Container | Rest, key: Key, *, optional: bool = False) -> Node:
    """The node of one item of a container, or of all of them."""

    def generate(node: Node) -> None:
        if isinstance(value, Rest):
            _rest(flow, value, key, node)
        else:
            known = _displayed(flow, value, key, node)
            known |= _mutated(flow, value, key, node)
            if not known and not optional:
                flow.add(node, UNKNOWN)

    return flow.node(("contents", value, key, optional), generate)


def _displayed(flow: Flow, value: Container, key: Key, node: Node) -> bool:
    """Items that the display, comprehension or `dict(…)` call itself gives."""
    origin, frame = value.origin, value.frame
    known = False
    if isinstance(origin, ex.Sequence):
        known = _sequence(flow, origin, value, key, node)
    elif isinstance(origin, ex.Mapping):
        for name, part in origin.items:
            if name is None:
                source = flow.evaluate(part, frame)
                flow.watch(source, lambda v: item(flow, v, key, node, optional=True))
                known = True
            elif key is None or not isinstance(name, ex.Constant) or name.value == key:
                flow.connect(flow.evaluate(part, frame), node)
                known = True
    elif isinstance(origin, ex.Comprehension):
        flow.connect(flow.evaluate(origin.element, frame), node)
        known = True
    else:
        known = _called(flow, value, origin, key, node)
    return known


def _sequence(flow: Flow, origin: ex.Sequence, value: Container, key: Key, node: Node) -> bool:
    starred = any(isinstance(part, ex.Starred) for part in origin.items)
    if isinstance(key, int) and not starred and -len(origin.items) <= key < len(origin.items):
        flow.connect(flow.evaluate(origin.items[key], value.frame), node)
        return True
    if isinstance(key, str):
        return False
    for part in origin.items:
        source = flow.evaluate(part, value.frame)
        if isinstance(part, ex.Starred):
            flow.watch(source, lambda v: element(flow, v, node))
        else:
            flow.connect(source, node)
    return bool(origin.items)


def _called(flow: Flow, value: Container, origin: ex.Call, key: Key, node: Node) -> bool:
    """`dict(a=1, **b)`, `SimpleNamespace(…)`, and what a framework's `prepare(a, b)` returns."""
    known = False
    if isinstance(key, int):
        return _prepared(flow, value, origin, key, node)
    for argument in origin.arguments:
        source = flow.evaluate(argument.value, value.frame)
        if argument.keyword is not None and key in (argument.keyword, None):
            flow.connect(source, node)
            known = True
        elif argument.keyword is None:
            flow.watch(source, lambda v: item(flow, v, key, node, optional=True))
            known = True
    return known


def _prepared(flow: Flow, value: Container, origin: ex.Call, key: int, node: Node) -> bool:
    """One of the values that a framework's `prepare(a, b)` returns."""
    known = -len(origin.arguments) <= key < len(origin.arguments)
    if not known or not isinstance(origin.function, ex.Attribute):
        return False
    given = flow.evaluate(origin.arguments[key].value, value.frame)
    owner = flow.evaluate(origin.function.value, value.frame)

    def watch(receiver: Value) -> None:
        path = ""
        if isinstance(receiver, Made) and isinstance(receiver.origin, External):
            path = receiver.origin.path
        framework = frameworks.wrapper(path, origin.name or "")
        by = "" if framework is None else framework.name
        flow.watch(given, lambda v: flow.add(node, members.wrapped(flow, v, by)))

    flow.watch(owner, watch)
    return True


def _mutated(flow: Flow, value: Container, key: Key, node: Node) -> bool:
    """Items added later by code of the same module."""
    facts = flow.project.load(value.frame.scope.module.path)
    if facts is None:
        return False
    known = False
    writes = [(s.target.value, s.value, s.scope) for s in facts.stores_at(key)]
    for name in ("append", "add", "insert", "setdefault"):
        for call in facts.calls.get(name, ()):
            if isinstance(call.function, ex.Attribute) and call.arguments:
                if name == "setdefault" and not _names_key(call, key):
                    continue
                writes.append((call.function.value, call.arguments[-1].value, call.scope))
    for target, written, scope in writes:
        base = flow.evaluate(target, flow.root(scope))
        stored = flow.evaluate(written, flow.root(scope))
        flow.watch(base, lambda v, stored=stored: _connect_same(flow, v, value, stored, node))  # type: ignore[misc]
        known |= value in base.values
    return known or _updated(flow, value, key, node)


def _names_key(call: ex.Call, key: Key) -> bool:
    first = call.arguments[0].value
    return key is None or (isinstance(first, ex.Constant) and first.value == key)


def _connect_same(flow: Flow, found: Value, value: Container, stored: Node, node: Node) -> None:
    if isinstance(found, Container) and found.origin is value.origin:
        flow.connect(stored, node)


def _updated(flow: Flow, value: Container, key: Key, node: Node) -> bool:
    """`d.update(other)`, `d.update(k=v)`, `l.extend(other)`."""
    facts = flow.project.load(value.frame.scope.module.path)
    assert facts is not None
    for name in ("update", "extend"):
        for call in facts.calls.get(name, ()):
            if not isinstance(call.function, ex.Attribute):
                continue
            frame = flow.root(call.scope)
            added = Container(call, frame)
            base = flow.evaluate(call.function.value, frame)

            def watch(found: Value, added: Container = added, name: str = name) -> None:
                if isinstance(found, Container) and found.origin is value.origin:
                    wanted = None if name == "extend" else key
                    flow.connect(contents(flow, added, wanted, optional=True), node)

            flow.watch(base, watch)
    return False


def _rest(flow: Flow, value: Rest, key: Key, node: Node) -> None:
    """Items of `*args` or `**kwargs`: what the call gives to no other parameter."""
    frame = value.frame
    passed = frame.passed
    if passed is None:
        flow.add(node, UNKNOWN)
        return
    names = {spec.name for spec in frame.scope.parameters}
    if isinstance(key, str):
        if key not in names:
            arguments.give(flow, passed, None, key, node)
        return
    shift = 1 if frame.receiver is not None else 0
    plain = [s for s in frame.scope.parameters if s.kind in ("positional", "either")]
    for index, (argument, caller) in enumerate(passed.arguments):
        wanted = key is None or index == key + len(plain) - shift
        if (argument.keyword is None and index >= len(plain) - shift and wanted) or (
            key is None and argument.keyword is not None and argument.keyword not in names
        ):
            flow.connect(flow.evaluate(argument.value, caller), node)
