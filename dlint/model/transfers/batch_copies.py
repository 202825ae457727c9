"""Which copies are of one batch, and where the batch comes to them.

Question: the copies of a program, by the loops that give their batches. Followed: copies in the
body of a loop over the loader, and in functions that the body enters: a helper that several loops
enter makes their copies one. Given up on: batches that reach a copy in another way (through an
attribute, a queue): the copies of one function are then taken together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import entered_by, leading_to
from dlint.analyses.control.order import is_inside
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, If, Loop, Statement
from dlint.model.loops.batch_loops import BatchLoop, batch_loops, calls_in
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.transfers.transfers import Transfer


@dataclass(frozen=True, eq=False)
class Way:
    """How the batches of one loop come to a copy: `entry` is the call that takes them there, None
    where the loop makes the copy itself, an engine makes the call, or the batch comes there on an
    object."""

    loop: BatchLoop
    entry: ex.Call | None


@dataclass(eq=False)
class BatchCopies:
    """The copies of one batch, in the order of their places, with the loops that give it."""

    context: AnalysisContext
    transfers: list[Transfer]
    ways: dict[Transfer, list[Way]]

    @property
    def most_at_once(self) -> int:
        """How many of the copies one batch goes through: of the sides of an `if`, one is run."""
        statements = [t.call.statement for t in self.transfers]
        return sum(not any(_excludes(o, s) for o in statements) for s in statements)

    @property
    def loops(self) -> list[BatchLoop]:
        """The loops that make one of the copies, or enter the function that does."""
        return list(dict.fromkeys(way.loop for ways in self.ways.values() for way in ways))

    def place_of(self, transfer: Transfer) -> Place:
        """Where a batch comes to a copy: at the copy, or at the call of the helper that makes it.

        Of several such calls, it is that of a loop that trains.
        """
        entries = [way for way in self.ways[transfer] if way.entry is not None]
        if not entries or len(entries) < len(self.ways[transfer]):
            return self.context.place_of(transfer.call)
        first = min(entries, key=lambda way: (not way.loop.trains, way.loop.place))
        return self.context.place_of(first.entry or transfer.call)


def _excludes(one: Statement, other: Statement) -> bool:
    """Whether a statement stands in the `else` of an `if` whose other side holds the first."""
    return any(
        isinstance(around, If)
        and _is_in(one, around, around.then)
        and _is_in(other, around, around.otherwise)
        for around in walk.ancestors(other)
    )


def _is_in(statement: Statement, owner: If, block: Block) -> bool:
    inside = (statement, *walk.ancestors(statement))
    return any(s.block is block for s in inside if s is not owner)


def copies_of_batches(
    context: AnalysisContext, transfers: Iterable[Transfer]
) -> Iterator[BatchCopies]:
    """Some copies, those of one batch together."""
    ways = {transfer: list(ways_to(context, transfer)) for transfer in transfers}
    for group in _connected({t: _keys(t, found) for t, found in ways.items()}):
        for own in _by_class(group):
            yield BatchCopies(context, own, {t: ways[t] for t in own})


def _by_class(group: list[Transfer]) -> list[list[Transfer]]:
    """Copies that one loop may come to, those apart that stand in one method of several classes."""
    methods = {(t.call.scope.name, t.call.scope.owner) for t in group}
    names = [name for name, owner in methods if owner is not None]
    several = {name for name in names if names.count(name) > 1}
    owners = dict.fromkeys(t.call.scope.owner for t in group if t.call.scope.name in several)
    found = [[t for t in group if t.call.scope.owner is owner] for owner in owners]
    rest = [t for t in group if t.call.scope.owner not in owners]
    return [*found, *([rest] if rest else [])]


def _keys(transfer: Transfer, ways: list[Way]) -> list[Hashable]:
    return [way.loop.statement for way in ways] or [transfer.call.scope]


def _connected(keys: dict[Transfer, list[Hashable]]) -> list[list[Transfer]]:
    """Copies that share a key, be it by others between them, in their order."""
    groups: list[tuple[set[Hashable], list[Transfer]]] = []
    for transfer, own in keys.items():
        met = [group for group in groups if group[0] & set(own)]
        groups = [group for group in groups if group not in met]
        joined = {key for known, _ in met for key in known} | set(own)
        groups.append((joined, [*(t for _, found in met for t in found), transfer]))
    order = {transfer: number for number, transfer in enumerate(keys)}
    return sorted(
        (sorted(found, key=order.__getitem__) for _, found in groups),
        key=lambda found: order[found[0]],
    )


def ways_to(context: AnalysisContext, transfer: Transfer) -> Iterator[Way]:
    """How the batches of the loops over its loaders come to a copy."""
    given = {batch.loader for batch in transfer.batches}
    loops = [loop for loop in context[batch_loops] if loop.loaders & given]
    own = [loop for loop in loops if _makes(loop, transfer)]
    if own:
        yield from (Way(loop, None) for loop in own)
        return
    for loop in loops:
        entry = next((c for c in _calls(loop) if _enters(context, c, transfer)), None)
        if entry is not None:
            is_seen = _takes_batch(loop, entry) and not loop.is_of_engine
            yield Way(loop, entry if is_seen else None)


def outlives_loops(context: AnalysisContext, transfer: Transfer) -> bool:
    """Whether a batch is copied once its loop is over: once in an epoch, or less often.

    So it is where no loop over its loaders comes to the copy, and what stands behind one does.
    """
    given = {batch.loader for batch in transfer.batches}
    loops = [loop for loop in context[batch_loops] if loop.loaders & given]
    if any(loop.body is None or loop.is_single for loop in loops):
        return False
    if any(True for _ in ways_to(context, transfer)):
        return False
    leading = (transfer.call, *leading_to(context, transfer.call.scope))
    return any(
        c.scope is loop.scope and loop.statement.span < c.span for c in leading for loop in loops
    )


def _makes(loop: BatchLoop, transfer: Transfer) -> bool:
    """Whether a copy stands in the body of a loop, or in the statement that reads batches."""
    if loop.scope is not transfer.call.scope:
        return False
    copying, reading = transfer.call.statement, loop.statement
    if copying is reading or not isinstance(reading, Loop) or loop.is_single:
        return copying is reading or copying.block is reading.block
    return is_inside(copying, reading)


def _calls(loop: BatchLoop) -> list[ex.Call]:
    return [] if loop.body is None or loop.is_single else list(calls_in(loop.body))


def _takes_batch(loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a call is given the batch, or a part of it: not one that finds it on an object."""
    parts = (part for argument in call.arguments for part in walk.walk(argument.value))
    values = (v for part in parts for v in loop.context.values(part, call.scope))
    return any(isinstance(v, Batch) and v.loader in loop.loaders for v in values)


def _enters(context: AnalysisContext, call: ex.Call, transfer: Transfer) -> bool:
    copying = transfer.call.scope
    return copying in callees_of(context, call) or copying in entered_by(context, [call])
