"""What is iterated: the loaders whose batches somebody gets who goes through a value.

Question: which loaders does a value hold, and of which are its elements the batches? Followed:
containers, also inside one another, `zip` and `enumerate`, generators and objects of the project
that yield batches or what they make of them (`relays`). Given up on: what libraries make of a
loader, unless they are known to hand it on. Budget: `_MOST` values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.model.loops.relays import relayed
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values import containers
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import (
    AllocationSite,
    Batch,
    Container,
    Generated,
    Instance,
    Row,
    Value,
    WrappedLoader,
    Zipped,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Solver

_MOST = 400
"""How many values of nested containers are looked at."""


def members(solver: Solver, value: Value) -> OrderedSet[AllocationSite]:
    """The loaders that a container holds, also in containers inside it."""
    found: list[AllocationSite] = []
    for part in inside(solver, value, (Container, Zipped, Row)):
        if isinstance(part, AllocationSite) and calls.is_loader(solver, part):
            found.append(part)
        elif isinstance(part, WrappedLoader):
            found.append(part.loader)
    return OrderedSet(found)


def inside(solver: Solver, value: Value, kinds: tuple[type, ...]) -> Iterator[Value]:
    """A value and everything in it, as far as containers of these kinds are opened."""
    queue, seen = deque([value]), {value}
    while queue and len(seen) < _MOST:
        part = queue.popleft()
        yield part
        if isinstance(part, kinds):
            new = [other for other in _parts(solver, part) if other not in seen]
            seen.update(new)
            queue.extend(new)


def _parts(solver: Solver, value: Value) -> OrderedSet[Value]:
    node = containers.elements(solver, value)
    solver.settle()
    return OrderedSet(node.values)


def iterated(solver: Solver, value: Value) -> OrderedSet[AllocationSite]:
    """The loaders whose batches iterating over `value` gives; a list of batches is no loader."""
    rounds = gone_through(solver, value)
    return OrderedSet(made for _, own in rounds for made in own)


def gone_through(
    solver: Solver, value: Value
) -> Iterator[tuple[Value, OrderedSet[AllocationSite]]]:
    """A value, and what it goes through or hands on, each with the loaders whose batches it has."""
    waiting, seen = [value], {value}
    while waiting and len(seen) < _MOST:
        part = waiting.pop(0)
        own = _iterated_itself(solver, part)
        yield part, own
        fresh = [v for v in dict.fromkeys(_behind(solver, part, own)) if v not in seen]
        seen.update(fresh)
        waiting += fresh


def _behind(solver: Solver, value: Value, own: OrderedSet[AllocationSite]) -> Iterator[Value]:
    """What a value takes its elements from, as far as its values do not say so themselves."""
    if isinstance(value, Zipped) and value.call.name != "items":
        for argument in value.call.arguments:
            yield from solver.values(argument.value, value.frame)
    elif not own:
        yield from relayed(solver, value)


def _iterated_itself(solver: Solver, value: Value) -> OrderedSet[AllocationSite]:
    match value:
        case WrappedLoader():
            return OrderedSet([value.loader])
        case AllocationSite() if calls.is_loader(solver, value):
            return OrderedSet([value])
        case Generated() | AllocationSite() | Instance():
            if isinstance(value, AllocationSite) and attributes.project_class(value) is None:
                return OrderedSet()
            parts = _parts(solver, value)
            return OrderedSet(made for part in parts for made in _batches(solver, part))
    return OrderedSet()


def _batches(solver: Solver, element: Value) -> OrderedSet[AllocationSite]:
    """The loaders of the batches in one element."""
    parts = inside(solver, element, (Row, Container))
    return OrderedSet(part.loader for part in parts if isinstance(part, Batch))
