"""exhausted-iterator: an iterator of a loader that the second epoch goes on to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.rules.loop._iterator_restarts import overruns
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """`next(it)` once for each batch and epoch, of an iterator made for one epoch."""
    for overrun in overruns(context):
        if not _ends(overrun.loader):
            continue
        path = overrun.call.scope.module.path
        yield Finding(
            Severity.ERROR,
            "the first round of the outer loop reads this iterator to its end, so `next` raises "
            "StopIteration in the second; make the iterator inside the outer loop",
            context.place_of(overrun.call),
            (
                Related(context.place_of(overrun.made), "the iterator is made here, once"),
                Related(Place(path, *overrun.outer.header), "this loop runs over it again"),
            ),
        )


def _ends(loader: Loader) -> bool:
    """Whether the loader has torch's own samplers, which end; others may go on for ever."""
    given = [a for n in ("sampler", "batch_sampler") for a in loader.argument(n)]
    return all(a.value in (ABSENT, NONE) for a in given)
