"""seed-in-epoch-loop: torch is seeded alike before every epoch, so all have one order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epoch_seeds import counts_epochs, is_drawn_from_torch, repeated_seeds
from dlint.model.loops.epochs import epoch_loops

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader

_MESSAGE = (
    "torch is seeded with the same number before each epoch, so every epoch draws the same order "
    "of samples, and the same augmentation; seed once before the loop, or with a number that the "
    "epoch goes into"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Seeds inside the loops over epochs that train on a shuffled loader."""
    reported: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            for finding in _of(loader) if loader.is_made and is_drawn_from_torch(loader) else ():
                if finding.place not in reported:
                    reported.add(finding.place)
                    yield finding


def _of(loader: Loader) -> Iterator[Finding]:
    context = loader.context
    for epoch in epoch_loops(loader):
        if not epoch.batch_loop.trains or not counts_epochs(epoch, loader):
            continue
        for call in repeated_seeds(context, epoch):
            start = epoch.batch_loop.place
            related = (
                Related(loader.place, "the order is drawn by torch's generator"),
                Related(start, "the loader is iterated here"),
            )
            yield Finding(Severity.ERROR, _MESSAGE, context.place_of(call), related)
