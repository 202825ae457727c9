"""loader-in-epoch-loop: a loader that each epoch makes anew, of the same things.

What that costs are the workers, which begin anew, and what the data set reads to be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.dataset_changes import changes_dataset
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.remade_datasets import read_anew
from dlint.model.loading.remade_loaders import is_made_alike, is_made_in
from dlint.model.loops.epochs import EpochLoop, is_evaluation, repeating_loops
from dlint.model.machines import timing
from dlint.model.workers.worker_counts import text_of
from dlint.rules.loader._lasting_workers import keeping_of, may_last

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loading.remade_datasets import ReadAnew


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that an epoch loop constructs from arguments that stay the same, at a cost."""
    for group in context[Loaders].told():
        yield from islice((finding for loader in group for finding in _of(loader)), 1)


def _of(loader: Loader) -> Iterator[Finding]:
    """What the first of the epoch loops that train costs, or else the first of them."""
    for epoch in sorted(_made_in(loader), key=lambda e: is_evaluation(e.batch_loop))[:1]:
        if loader.workers.may_be_present:
            yield _of_workers(loader, epoch)
        elif reads := read_anew(loader, epoch):
            yield _of_reading(loader, epoch, reads)


def _made_in(loader: Loader) -> list[EpochLoop]:
    """The epoch loops that make the loader, where another epoch could use it too."""
    if not loader.is_made or loader.is_for_debugging:
        return []
    found = [epoch for epoch in repeating_loops(loader) if is_made_in(loader, epoch)]
    inner = [epoch for epoch in found if not any(epoch.goes_around(other) for other in found)]
    epochs = [epoch for epoch in inner if not _is_timed(epoch)]
    same = all(is_made_alike(loader, epoch) for epoch in epochs)
    return epochs if same and not any(changes_dataset(loader, e) for e in epochs) else []


def _is_timed(epoch: EpochLoop) -> bool:
    """Whether a round is there to take the time."""
    scopes = (epoch.scope, *epoch.inside)
    return any(map(timing.keeps_time, scopes)) and not epoch.batch_loop.trains


def _of_reading(loader: Loader, epoch: EpochLoop, reads: list[ReadAnew]) -> Finding:
    """Files of tables and annotations may be small; samples that are read one by one are not."""
    minor = is_evaluation(epoch.batch_loop) or not loader.trains or not any(r.whole for r in reads)
    names = " and ".join(dict.fromkeys(f"`{read.cls.name}`" for read in reads))
    places = [place for read in reads for place in read.places]
    return Finding(
        Severity.INFO if minor else Severity.WARNING,
        f"each epoch makes this DataLoader and its data set anew from the same arguments, so "
        f"{names} reads its files again; make both once, before the loop",
        loader.place,
        (
            *(Related(place, "this is read in each epoch") for place in places[:3]),
            Related(epoch.place, "the epochs are counted here"),
        ),
    )


def _of_workers(loader: Loader, epoch: EpochLoop) -> Finding:
    minor = is_evaluation(epoch.batch_loop) or not loader.trains or loader.workers.present is None
    keeping = f", with {keeping_of([loader])}" if may_last(loader) else ""
    return Finding(
        Severity.INFO if minor else Severity.WARNING,
        f"each epoch makes this DataLoader anew from the same arguments, so its workers start "
        f"anew too{_count(loader)}; make it once, before the loop{keeping}",
        loader.place,
        (Related(epoch.place, "the epochs are counted here"),),
    )


def _count(loader: Loader) -> str:
    """By what there are workers, where the call itself does not say so."""
    given, assumed = loader.workers.present, loader.workers.assumed
    if given is None:
        return " (where `num_workers` is above 0)"
    if not loader.workers.is_known:
        return f" ({text_of(given)}, where it is given no other number)"
    return f" (`num_workers` is above 0 by the {assumed})" if assumed else ""
