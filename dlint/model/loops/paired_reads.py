"""Loops over an iterator of a loader that take further batches from it themselves.

Question: does each round of `for x in batches` also call `next(batches)`, so that the last round
finds nothing where the batches do not come out even? Known are the batches of a loader by its data.
Followed and given up on: as in `iterator_ends`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.running_calls import calls_named
from dlint.analyses.value_parts import origin_over_calls, parts_gone_through
from dlint.findings.places import Place
from dlint.ir import walk
from dlint.model.loops.iterator_ends import (
    NEXT,
    is_expected,
    iterator_of,
    loaders_of,
    runs_throughout,
)
from dlint.model.worth.volume import volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.volume.ranges import Range
    from dlint.ir import expressions as ex
    from dlint.ir.module import Loop, Scope
    from dlint.model.loading.loader import Loader


class PairedRead(NamedTuple):
    """`next` of the iterator that the loop around it goes through.

    `taken`: how many batches a round takes, the loop's own included.
    """

    call: ex.Call
    made: ex.Call
    loop: Loop
    loaders: tuple[Loader, ...]
    taken: int

    @property
    def place(self) -> Place:
        """Where the further batch is taken."""
        return self.loaders[0].context.place_of(self.call)

    @property
    def made_place(self) -> Place:
        """Where the iterator is made."""
        return self.loaders[0].context.place_of(self.made)

    @property
    def loop_place(self) -> Place:
        """The header of the loop that goes through it."""
        return Place(self.call.scope.module.path, *self.loop.header)

    @property
    def batches(self) -> Range | None:
        """The batches of the one loader, where they are known."""
        return volume_of(self.loaders[0]).batches if len(self.loaders) == 1 else None


def paired_reads(context: AnalysisContext) -> Iterator[PairedRead]:
    """Where loops take further batches from what they go through, the first of each loop."""
    found: dict[Loop, list[PairedRead]] = {}
    for call in calls_named(context, *NEXT):
        read = _read(context, call) if len(call.arguments) < len(("it", "default")) else None
        if read is not None:
            found.setdefault(read.loop, []).append(read)
    for reads in found.values():
        last = max(reads, key=lambda read: read.call.span)
        first = min(reads, key=lambda read: read.call.span)
        read = first._replace(taken=len(reads) + 1, call=last.call)
        if not _comes_out_even(read):
            yield read


def _read(context: AnalysisContext, call: ex.Call) -> PairedRead | None:
    loop = next(walk.enclosing_loops(call.statement), None)
    made = iterator_of(context, call) if loop is not None else None
    if loop is None or loop.iterable is None or made is None or is_expected(context, call):
        return None
    if not _goes_through(context, loop.iterable, call.scope, made):
        return None
    if not runs_each_round(call, loop) or not runs_throughout(call, [loop]):
        return None
    loaders = tuple(loaders_of(context, made))
    return PairedRead(call, made, loop, loaders, 2) if loaders else None


def _goes_through(
    context: AnalysisContext, iterable: ex.Expression, scope: Scope, made: ex.Call
) -> bool:
    """Whether a loop takes its elements from what a call makes, here or in who calls."""
    frame = context.solver.root(scope)
    parts = parts_gone_through(iterable)
    return any(origin_over_calls(context, part, frame)[0] is made for part in parts)


def _comes_out_even(read: PairedRead) -> bool:
    """Whether the batches are known, and each round finds all that it takes."""
    batches = read.batches
    return batches is not None and batches.is_exact and batches.low % read.taken == 0
