"""one-shot-iterable: from the second epoch on the loader yields nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.one_shot_streams import OneShot, epochs_on_one_object, one_shot
from dlint.model.data.streams import stream_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loops.epochs import EpochLoop


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterable datasets that begin nothing anew, in loaders that several epochs run through."""
    reported: set[Place] = set()
    for dataset in context[dataset_classes]:
        found = None if stream_of(dataset) is None else one_shot(dataset)
        if found is None or found.place in reported:
            continue
        for loader in dataset.own_loaders:
            epoch = epochs_on_one_object(loader)
            if epoch is not None:
                reported.add(found.place)
                yield _finding(dataset, found, epoch, kept=not loader.workers_absent)
                break


def _finding(dataset: DatasetClass, found: OneShot, epoch: EpochLoop, *, kept: bool) -> Finding:
    what = f"`self.{found.attribute}`, which is made once" if found.attribute else "the object"
    verb = "returns" if not found.attribute else "runs through"
    until = " and `persistent_workers=True` keeps the object" if kept else ""
    ends = "" if found.attribute else " and resets nothing"
    message = (
        f"`{dataset.name}.__iter__` {verb} {what}{ends}{until}, so from the second epoch on "
        "the loader yields no batch; begin anew in `__iter__`, such as by `yield from` a source "
        "that is opened there"
    )
    related = [Related(epoch.place, "the epochs are counted here")]
    if found.source is not None:
        related.append(Related(found.source, "the iterator is made here, once"))
    return Finding(Severity.ERROR, message, found.place, tuple(related))
