"""What containers hold: items of displays, calls and `*args`, and what is added to them later.

Question: what may stand under a key (or position) of a list, dict, `dict(…)` or `**kwargs`, or
under any of them? Followed: the layers of dicts, unpacked parts, and every write to the container
in its own module, and in the modules of functions that the function which makes it hands it to by
its name, in whatever order. Given up on: writes in further modules, and what is taken out. Bounded
by the solver's budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Scope
from dlint.library_facts import frameworks
from dlint.semantics.calls import calls
from dlint.semantics.calls.binding import bound_to
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.project import Facts
from dlint.semantics.values.dict_layers import Layer, Spread, is_mapping, is_taken, layers_of
from dlint.semantics.values.mutations import (
    ADDING,
    MERGING,
    Mutation,
    mutation_by_name,
    mutation_of_call,
)
from dlint.semantics.values.solver import ConstraintNode, Key, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    Container,
    FunctionObject,
    Row,
    Value,
    VarArgs,
    Zipped,
    library_path,
)


def contents(
    solver: Solver, value: Container | VarArgs, key: Key, *, optional: bool = False
) -> ConstraintNode:
    """The node of one item of a container, or of all of them."""

    def generate(node: ConstraintNode) -> None:
        if isinstance(value, VarArgs):
            _rest(solver, value, key, node)
            return
        known = _displayed(solver, value, key, node)
        _mutated(solver, value, key, node)
        if not known and not optional:
            solver.unless_filled(node)

    return solver.node(("contents", value, key, optional), generate)


def _displayed(solver: Solver, value: Container, key: Key, node: ConstraintNode) -> bool:
    """Items that the display, comprehension or `dict(…)` call itself gives."""
    origin = value.origin
    if isinstance(origin, ex.Sequence):
        return _sequence(solver, origin, value, key, node)
    if isinstance(origin, ex.Item):
        return _left(solver, origin, value, key, node)
    if isinstance(origin, ex.Comprehension):
        solver.connect(solver.evaluate(origin.element, value.frame), node)
        return True
    if isinstance(origin, ex.Call) and isinstance(key, int):
        return _prepared(solver, value, origin, key, node)
    known = _layered(solver, layers_of(value) or [], key, node)
    if isinstance(origin, ex.Call):
        starred = (a for a in origin.arguments if a.star == "*")
        for argument in starred:
            _spread(solver, Spread(argument.value, value.frame), key, node)
            known = True
    return known


def _layered(solver: Solver, layers: Iterable[Layer], key: Key, node: ConstraintNode) -> bool:
    """Whether layers of a dict may hold an item; if so these flow into `node`."""
    known = False
    for layer in layers:
        if isinstance(layer, Spread):
            _spread(solver, layer, key, node)
        elif key is None or layer.may_be(key):
            solver.connect(solver.evaluate(layer.value, layer.context), node)
        else:
            continue
        known = True
    return known


def _spread(solver: Solver, layer: Spread, key: Key, node: ConstraintNode) -> None:
    """Of `dict(zip(keys, values))` and the like, what stands second in each row."""

    def spread(value: Value) -> None:
        pairs = _pairs(value)
        if isinstance(value, Zipped):
            solver.item(Row(value), 1, node, optional=True)
        elif not pairs:
            solver.item(value, key, node, optional=True)
        for known, item, frame in pairs:
            if key is None or known is None or known.value == key:
                solver.connect(solver.evaluate(item, frame), node)

    solver.watch(solver.evaluate(layer.source, layer.context), spread)


def _pairs(value: Value) -> list[tuple[ex.Constant | None, ex.Expression, CallContext]]:
    """The items of `dict([("a", x)])` and `dict((k, f(k)) for k in keys)`, where all are such."""
    origin = value.origin if isinstance(value, Container) else None
    made = origin.element if isinstance(origin, ex.Comprehension) else None
    rows = origin.items if isinstance(origin, ex.Sequence) else () if made is None else (made,)
    pairs = [pair for pair in map(_pair, rows) if pair is not None]
    if not isinstance(value, Container) or len(pairs) < len(rows):
        return []
    return [(ex.constant(key), item, value.frame) for key, item in pairs]


def _pair(row: ex.Expression) -> tuple[ex.Expression, ex.Expression] | None:
    match row:
        case ex.Sequence(items=(ex.Starred(), _) | (_, ex.Starred())):
            return None
        case ex.Sequence(items=(key, item)):
            return key, item
    return None


def _sequence(
    solver: Solver, origin: ex.Sequence, value: Container, key: Key, node: ConstraintNode
) -> bool:
    if isinstance(key, str):
        return False
    starred = any(isinstance(part, ex.Starred) for part in origin.items)
    if isinstance(key, int) and not starred and -len(origin.items) <= key < len(origin.items):
        solver.connect(solver.evaluate(origin.items[key], value.frame), node)
    elif isinstance(key, int) and starred and key >= 0:
        _flattened(solver, origin, value, key, node)
    else:
        _any_part(solver, origin.items, value, node)
    return bool(origin.items)


def _left(
    solver: Solver, origin: ex.Item, value: Container, key: Key, node: ConstraintNode
) -> bool:
    """Items of `rest` in `first, *rest = whole`; one of what follows it may be among them."""
    if isinstance(key, str):
        return False

    def take(whole: Value) -> None:
        for position in _positions(whole, origin.position, key):
            solver.item(whole, position, node)

    solver.watch(solver.evaluate(origin.value, value.frame), take)
    return True


def _positions(whole: Value, start: int, key: int | None) -> Sequence[Key]:
    """Where the items stand that are left from a place on, or the one under a key among them."""
    if key is not None and key >= 0:
        return [start + key]
    display = whole.origin if isinstance(whole, Container) else None
    items = display.items if isinstance(display, ex.Sequence) else ()
    is_plain = not any(isinstance(item, ex.Starred) for item in items)
    return (range(start, len(items)) if is_plain else ()) or [None]


def _any_part(
    solver: Solver, parts: Sequence[ex.Expression], value: Container, node: ConstraintNode
) -> None:
    for part in parts:
        source = solver.evaluate(part, value.frame)
        if isinstance(part, ex.Starred):
            solver.watch(source, lambda v: solver.element(v, node))
        else:
            solver.connect(source, node)


def _flattened(
    solver: Solver, origin: ex.Sequence, value: Container, key: int, node: ConstraintNode
) -> None:
    """The item at a position of `(*a, b, *c)`: what is unpacked before it takes its places."""
    seen: set[tuple[int, int]] = set()

    def place(index: int, key: int) -> None:
        """What stands `key` places after the part at `index` begins."""
        if (index, key) in seen:
            return
        seen.add((index, key))
        if index == len(origin.items):
            _any_part(solver, origin.items, value, node)
            return
        part = origin.items[index]
        source = solver.evaluate(part, value.frame)
        if isinstance(part, ex.Starred):
            solver.watch(source, lambda unpacked: spread(unpacked, index, key))
        elif key == 0:
            solver.connect(source, node)
        else:
            place(index + 1, key - 1)

    def spread(unpacked: Value, index: int, key: int) -> None:
        length = _length(unpacked)
        if length is None:
            solver.element(unpacked, node)
            _any_part(solver, origin.items[index + 1 :], value, node)
        elif key < length:
            solver.item(unpacked, key, node)
        else:
            place(index + 1, key - length)

    place(0, key)


def _length(value: Value) -> int | None:
    """How many items a tuple has that is written out."""
    origin = value.origin if isinstance(value, Container) else None
    if not isinstance(origin, ex.Sequence) or origin.kind != "tuple":
        return None
    return None if any(isinstance(i, ex.Starred) for i in origin.items) else len(origin.items)


def _prepared(
    solver: Solver, value: Container, origin: ex.Call, key: int, node: ConstraintNode
) -> bool:
    """One of the values that a framework's `prepare(a, b)` returns."""
    given = _positional(solver, origin, key, value.frame)
    if given is None or not isinstance(origin.function, ex.Attribute):
        return False
    owner = solver.evaluate(origin.function.value, value.frame)

    def watch(receiver: Value) -> None:
        framework = frameworks.wrapper(library_path(receiver), origin.name or "")
        by = "" if framework is None else framework.name
        solver.watch(given, lambda v: solver.add(node, calls.wrapped(solver, v, by)))

    solver.watch(owner, watch)
    return True


def _positional(
    solver: Solver, call: ex.Call, key: int, frame: CallContext
) -> ConstraintNode | None:
    """What a call is given at a position, also in a list that it unpacks as its last argument."""
    arguments = call.arguments
    if not any(argument.star for argument in arguments):
        known = -len(arguments) <= key < len(arguments)
        return solver.evaluate(arguments[key].value, frame) if known else None
    placed = [argument for argument in arguments if argument.keyword is None]
    is_last = all(not argument.star for argument in placed[:-1])
    found = CallArguments.of(arguments, frame).at(key) if is_last and key >= 0 else None
    if found is None:
        return None
    (argument, _), index = found
    source = solver.evaluate(argument.value, frame)
    if index is None:
        return source

    def generate(node: ConstraintNode) -> None:
        solver.watch(source, lambda unpacked: solver.item(unpacked, index, node, optional=True))

    return solver.node(("unpacked", call, key, frame), generate)


def _mutated(solver: Solver, value: Container, key: Key, node: ConstraintNode) -> None:
    """Items added later, by code of the same module or of functions that are given it."""
    for facts in solver[_Writes].modules(value):
        solver[_Writes].flow(facts, value.origin, key, node)


class _Writes:
    """What the code of a module puts into containers, by where these are made.

    A place that is written to is watched once for each key that is asked for, not once for each
    container: where any may be meant, that would be as many watchers as there are pairs.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._watched: set[tuple[str, Key]] = set()
        self._modules: dict[tuple[object, Scope], tuple[Facts, ...]] = {}

    def modules(self, value: Container) -> tuple[Facts, ...]:
        """The module that makes a container, and those of functions that it is handed to there."""
        made = value.origin, value.frame.scope
        known = self._modules.get(made)
        if known is None:
            paths = dict.fromkeys((value.frame.scope.module.path, *self._given(*made)))
            found = map(self._solver.project.load, paths)
            known = self._modules[made] = tuple(facts for facts in found if facts is not None)
        return known

    def _given(self, origin: object, scope: Scope) -> Iterator[str]:
        """The modules of the functions that one function gives what it makes, by its name."""
        for call in calls_given_names(scope):
            if any(_is_bound_to(argument.value, origin) for argument in call.arguments):
                for callee in self._solver.names.static(call.function, scope):
                    if isinstance(callee, FunctionObject):
                        yield callee.scope.module.path

    def flow(self, facts: Facts, origin: object, key: Key, node: ConstraintNode) -> None:
        """What is written under `key` to what is made at `origin` flows into `node`."""
        path = facts.module.path
        self._solver.connect(self._written(path, origin, key), node)
        if (path, key) in self._watched:
            return
        self._watched.add((path, key))
        for mutation, scope in _mutations(facts, key):
            if mutation.value is not None:
                self._put(mutation, scope, path, key)
        for call in (call for name in MERGING for call in facts.calls.get(name, ())):
            if (merged := mutation_of_call(call)) is not None:
                self._put_all(merged, call, path, key)

    def _written(self, path: str, origin: object, key: Key) -> ConstraintNode:
        return self._solver.node(("written", path, origin, key), lambda made: None)

    def _put(self, mutation: Mutation, scope: Scope, path: str, key: Key) -> None:
        solver, frame = self._solver, self._solver.root(scope)
        assert mutation.value is not None
        stored = solver.evaluate(mutation.value, frame)
        self._into(mutation, frame, path, key, lambda: stored)

    def _put_all(self, mutation: Mutation, call: ex.Call, path: str, key: Key) -> None:
        """`d.update(other)`, `d.update(k=v)`, `l.extend(other)`."""
        frame = self._solver.root(call.scope)
        given, wanted = Container(call, frame), None if mutation.kind == "extend" else key
        self._into(mutation, frame, path, key, partial(_given, self._solver, given, wanted))

    def _into(
        self,
        mutation: Mutation,
        frame: CallContext,
        path: str,
        key: Key,
        stored: Callable[[], ConstraintNode],
    ) -> None:
        """What is stored flows to wherever a container may be made that is written to."""

        def watch(found: Value) -> None:
            if isinstance(found, Container):
                self._solver.connect(stored(), self._written(path, found.origin, key))

        self._solver.watch(self._solver.evaluate(mutation.target, frame), watch)


@told_by_code
def calls_given_names(scope: Scope) -> list[ex.Call]:
    """The calls of a scope that are given what a name of it is bound to."""
    return [c for c in scope.calls if any(isinstance(a.value, ex.Reference) for a in c.arguments)]


def _is_bound_to(expression: ex.Expression, origin: object) -> bool:
    """Whether an expression is a name that is bound to what is made at `origin`."""
    definition = expression.definition if isinstance(expression, ex.Reference) else None
    return definition is not None and definition.value is origin


def _given(solver: Solver, given: Container, key: Key) -> ConstraintNode:
    return contents(solver, given, key, optional=True)


def _mutations(facts: Facts, key: Key) -> Iterator[tuple[Mutation, Scope]]:
    """What a module writes to its containers, as far as it may concern a key."""
    named = facts.attributes.get(key, ()) if isinstance(key, str) else ()
    for store in (*facts.stores_at(key), *named):
        if (written := mutation_by_name(store)) is not None:
            yield written, store.scope
    for name in ADDING:
        for call in facts.calls.get(name, ()):
            mutation = mutation_of_call(call)
            if mutation is not None and (key is None or _concerns(mutation, key)):
                yield mutation, call.scope


def _concerns(mutation: Mutation, key: Key) -> bool:
    return mutation.key is None or mutation.known_key == key


def _rest(solver: Solver, value: VarArgs, key: Key, node: ConstraintNode) -> None:
    """Items of `*args` or `**kwargs`: what the call gives to no other parameter."""
    bound = bound_to(value.frame)
    if bound is None:
        solver.add(node, UNKNOWN)
    elif is_taken(value, key):
        return
    elif is_mapping(value):
        name = None if isinstance(key, int) else key  # a number is a place among its values
        _layered(solver, layers_of(value) or [], name, node)
    else:
        for index, (argument, context) in bound.var_positional:
            source = solver.evaluate(argument.value, context)
            if argument.star:
                solver.watch(source, lambda v: solver.element(v, node))
            elif key is None or index is None or index == key:
                solver.connect(source, node)
