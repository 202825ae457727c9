"""exhausted-iterator: an iterator of a loader that the second epoch goes on to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loops.iterator_ends import Overread, overreads
from dlint.model.loops.iterator_restarts import overruns
from dlint.model.loops.paired_reads import PairedRead, paired_reads
from dlint.model.samplers.index_order import makes_sampler

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """`next(it)` for more steps than the loader has batches, or for a second epoch."""
    seen = set()
    for overrun in overruns(context):
        if not makes_sampler(overrun.loader):
            continue
        seen.add(overrun.place)
        yield Finding(
            Severity.ERROR,
            "the first round of the outer loop reads this iterator to its end, so `next` raises "
            "StopIteration in the second; make the iterator inside the outer loop",
            overrun.place,
            (
                Related(overrun.made_place, "the iterator is made here, once"),
                Related(overrun.outer_place, "this loop runs over it again"),
            ),
        )
    for found in overreads(context):
        if found.place not in seen:
            yield _further(found)
    for paired in paired_reads(context):
        yield _paired(paired)


def _paired(found: PairedRead) -> Finding:
    batches = found.batches
    known = batches is not None and batches.is_exact
    end = (
        f"there are {batches.low:,.0f} batches"
        if batches is not None and known
        else f"their number may be no multiple of {found.taken}"
    )
    return Finding(
        Severity.ERROR if known else Severity.WARNING,
        f"each round of this loop takes {found.taken} batches from one iterator: {end}, so "
        "`next` raises StopIteration in the last round; give it a default, and leave the loop "
        "then",
        found.place,
        (
            Related(found.made_place, "the iterator is made here"),
            Related(found.loop_place, "this loop goes through it, too"),
        ),
    )


def _further(found: Overread) -> Finding:
    asked, batches = found.asked, found.batches
    if asked is None or batches is None:
        what = "this loop asks for several times as many batches as the loader has"
    else:
        how = ", ".join(dict.fromkeys((*asked.assumed, *batches.assumed)))
        by = f" (by the {how})" if how else ""
        what = f"this loop asks for {asked.low:,.0f} batches{by}, and the loader has "
        what += f"{batches.high:,.0f}"
    return Finding(
        Severity.ERROR,
        f"{what}: `next` raises StopIteration at the end of the data; catch it and make a new "
        "iterator, or loop over the loader itself",
        found.place,
        (
            Related(found.made_place, "the iterator is made here, once"),
            Related(found.loop_place, "this loop reads it"),
        ),
    )
