"""loader-in-epoch-loop: a loader that each epoch makes anew, of the same things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model import timing
from dlint.model.epochs import EpochLoop, is_evaluation, repeating_loops
from dlint.model.loaders import Loaders
from dlint.rules.loader._dataset_changes import changes_dataset
from dlint.rules.loader.loader_in_epoch_loop.invariance import is_invariant

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers that an epoch loop constructs from arguments that stay the same."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            found = _made_in(loader)
            if found:
                yield _finding(loader, min(found, key=lambda e: is_evaluation(e.batch_loop)))
                break


def _made_in(loader: Loader) -> list[EpochLoop]:
    """The epoch loops that make the loader, where another epoch could use it too."""
    if loader.workers.positive is None or not loader.is_made or loader.is_for_debugging:
        return []
    epochs = [epoch for epoch in repeating_loops(loader) if _makes(epoch, loader)]
    if any(timing.keeps_time(e.scope) and not e.batch_loop.trains for e in epochs):
        return []
    context = loader.context
    same = all(is_invariant(context, loader.call, e) for e in epochs)
    return epochs if same and not any(changes_dataset(loader, e) for e in epochs) else []


def _makes(epoch: EpochLoop, loader: Loader) -> bool:
    """Whether the call itself runs in each epoch; what a factory makes is left alone."""
    scope = loader.call.scope
    return epoch.makes(loader.made) and (scope is epoch.scope or scope in epoch.inside)


def _finding(loader: Loader, epoch: EpochLoop) -> Finding:
    minor = is_evaluation(epoch.batch_loop) or not loader.trains
    loop = Place(epoch.scope.module.path, *epoch.loop.header)
    assumed = loader.workers.assumed
    count = f" (`num_workers` is above 0 by the {assumed})" if assumed else ""
    return Finding(
        Severity.INFO if minor else Severity.WARNING,
        f"each epoch makes this DataLoader anew from the same arguments, so its workers start "
        f"anew too{count}; make it once, before the loop, with `persistent_workers=True`",
        loader.place,
        (Related(loop, "the epochs are counted here"),),
    )
