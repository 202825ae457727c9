"""What containers hold: items of displays, calls and `*args`, and what is added to them later.

Question: what may stand under a key (or position) of a list, dict, `dict(…)` or `**kwargs`, or
under any of them? Followed: the layers of dicts, unpacked parts, and every write to the container
in its own module, in whatever order. Given up on: writes in other modules, and what is taken out.
Bounded by the solver's budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.library_facts import frameworks
from dlint.semantics.calls import calls
from dlint.semantics.calls.binding import bound_to
from dlint.semantics.project import Facts
from dlint.semantics.values.dict_layers import Layer, Spread, is_mapping, is_taken, layers_of
from dlint.semantics.values.mutations import (
    ADDING,
    MERGING,
    Mutation,
    mutation_of_call,
    mutation_of_store,
)
from dlint.semantics.values.solver import ConstraintNode, Key, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Container,
    External,
    Value,
    VarArgs,
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
    source = solver.evaluate(layer.source, layer.context)
    solver.watch(source, lambda value: solver.item(value, key, node, optional=True))


def _sequence(
    solver: Solver, origin: ex.Sequence, value: Container, key: Key, node: ConstraintNode
) -> bool:
    starred = any(isinstance(part, ex.Starred) for part in origin.items)
    if isinstance(key, int) and not starred and -len(origin.items) <= key < len(origin.items):
        solver.connect(solver.evaluate(origin.items[key], value.frame), node)
        return True
    if isinstance(key, str):
        return False
    for part in origin.items:
        source = solver.evaluate(part, value.frame)
        if isinstance(part, ex.Starred):
            solver.watch(source, lambda v: solver.element(v, node))
        else:
            solver.connect(source, node)
    return bool(origin.items)


def _prepared(
    solver: Solver, value: Container, origin: ex.Call, key: int, node: ConstraintNode
) -> bool:
    """One of the values that a framework's `prepare(a, b)` returns."""
    known = -len(origin.arguments) <= key < len(origin.arguments)
    if not known or not isinstance(origin.function, ex.Attribute):
        return False
    given = solver.evaluate(origin.arguments[key].value, value.frame)
    owner = solver.evaluate(origin.function.value, value.frame)

    def watch(receiver: Value) -> None:
        path = ""
        if isinstance(receiver, AllocationSite) and isinstance(receiver.origin, External):
            path = receiver.origin.path
        framework = frameworks.wrapper(path, origin.name or "")
        by = "" if framework is None else framework.name
        solver.watch(given, lambda v: solver.add(node, calls.wrapped(solver, v, by)))

    solver.watch(owner, watch)
    return True


def _mutated(solver: Solver, value: Container, key: Key, node: ConstraintNode) -> None:
    """Items added later by code of the same module."""
    facts = solver.project.load(value.frame.scope.module.path)
    if facts is None:
        return
    for mutation, scope in _mutations(facts, key):
        frame = solver.root(scope)
        if mutation.value is not None:
            base = solver.evaluate(mutation.target, frame)
            _put(solver, base, solver.evaluate(mutation.value, frame), value, node)
    _merged(solver, facts, value, key, node)


def _mutations(facts: Facts, key: Key) -> Iterator[tuple[Mutation, Scope]]:
    """What a module writes to its containers, as far as it may concern a key."""
    for store in facts.stores_at(key):
        if (written := mutation_of_store(store)) is not None:
            yield written, store.scope
    for name in ADDING:
        for call in facts.calls.get(name, ()):
            mutation = mutation_of_call(call)
            if mutation is not None and (key is None or _concerns(mutation, key)):
                yield mutation, call.scope


def _concerns(mutation: Mutation, key: Key) -> bool:
    return mutation.key is None or mutation.known_key == key


def _put(
    solver: Solver,
    base: ConstraintNode,
    stored: ConstraintNode,
    value: Container,
    node: ConstraintNode,
) -> None:
    """What is stored flows into `node` where the container that is written to is this one."""

    def watch(found: Value) -> None:
        if isinstance(found, Container) and found.origin is value.origin:
            solver.connect(stored, node)

    solver.watch(base, watch)


def _merged(solver: Solver, facts: Facts, value: Container, key: Key, node: ConstraintNode) -> None:
    """`d.update(other)`, `d.update(k=v)`, `l.extend(other)`."""
    for name in MERGING:
        for call in facts.calls.get(name, ()):
            mutation = mutation_of_call(call)
            if mutation is not None:
                _put_all(solver, mutation, call, value, key, node)


def _put_all(
    solver: Solver,
    mutation: Mutation,
    call: ex.Call,
    value: Container,
    key: Key,
    node: ConstraintNode,
) -> None:
    frame = solver.root(call.scope)
    wanted = None if mutation.kind == "extend" else key

    def watch(found: Value) -> None:
        if isinstance(found, Container) and found.origin is value.origin:
            added = contents(solver, Container(call, frame), wanted, optional=True)
            solver.connect(added, node)

    solver.watch(solver.evaluate(mutation.target, frame), watch)


def _rest(solver: Solver, value: VarArgs, key: Key, node: ConstraintNode) -> None:
    """Items of `*args` or `**kwargs`: what the call gives to no other parameter."""
    bound = bound_to(value.frame)
    if bound is None:
        solver.add(node, UNKNOWN)
    elif is_taken(value, key):
        return
    elif is_mapping(value):
        _layered(solver, layers_of(value) or [], key, node)
    else:
        for index, (argument, context) in bound.var_positional:
            source = solver.evaluate(argument.value, context)
            if argument.star:
                solver.watch(source, lambda v: solver.element(v, node))
            elif key is None or index is None or index == key:
                solver.connect(source, node)
