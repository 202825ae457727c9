"""uneven-ranks: streams of which ranks get different numbers of batches, and models that wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.streams import Stream, is_stream
from dlint.model.data.uneven_streams import rank_cut, waiting_replica
from dlint.model.ranks.distributed import Distributed

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.ranks.distributed import Replica


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterable datasets that give each rank every n-th element, in loops that nothing evens out."""
    if not context[Distributed].is_possible:
        return
    reported: set[Place] = set()
    for dataset in context[dataset_classes]:
        stream = Stream(context, dataset.cls) if is_stream(context, dataset.cls) else None
        cut = None if stream is None else rank_cut(context, stream)
        replica = None if cut is None else waiting_replica(dataset)
        if cut is not None and replica is not None and cut not in reported:
            reported.add(cut)
            yield _finding(context, cut, replica)


def _finding(context: AnalysisContext, cut: Place, replica: Replica) -> Finding:
    related = [Related(context.place_of(replica.wrap), "this model waits for all ranks")]
    if replica.loop is not None:
        related.insert(0, Related(replica.loop.place, "each rank trains until its part ends"))
    return Finding(
        Severity.INFO,
        "each rank takes every n-th part, and nothing makes the parts give as many batches: the "
        f"rank with fewer leaves the loop, and the others wait for it in `{replica.name}` until "
        "the timeout; stop after a number of steps that all ranks have, or train in "
        "`with model.join():`",
        cut,
        tuple(related),
    )
