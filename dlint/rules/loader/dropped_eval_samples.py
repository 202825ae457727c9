"""dropped-eval-samples: an evaluation that leaves samples out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.roles import is_only_tried, only_evaluates
from dlint.model.loops.full_batches import takes_full_batches
from dlint.model.worth.volume import volume_of
from dlint.rules.loader._chosen import chosen
from dlint.rules.loader._evaluated import (
    is_asked_for,
    is_plain,
    is_shared,
    made_for_phases,
    related,
    told,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MESSAGE = (
    "this DataLoader is only evaluated, and `drop_last=True` leaves out the samples of the last "
    "batch if it is not full, and the metric is then not that of the whole data; {mend}"
)

_SHARED = (
    "one function makes a DataLoader to train on and one that is only evaluated, both with "
    "`drop_last=True`: the evaluation leaves out the samples of the last batch if it is not full, "
    "and its metric is not that of the whole data; drop it for training alone"
)

_PHASES = (
    "the loaders of all phases get `drop_last=True`, and {phases} only evaluated: the "
    "evaluation leaves out the samples of the last batch if it is not full, and its metric is not "
    "that of the whole data; drop it for training alone"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that drop their last batch, and that only evaluation loops read to the end."""
    for found in chosen(context, "drop_last", _is_wanting):
        first = found.loaders[0]
        is_alone = not found.others and not found.at_caller
        if is_plain(found) and not (is_alone and context[Consumption].train_from(first.call)):
            message = told(found, _SHARED if is_shared(found) else _MESSAGE)
            fix = _fix(first) if found.is_decided_there else None
            at = found.argument_place
            yield Finding(Severity.INFO, message, found.place, related(found), fix, at)
    for loader, phases in made_for_phases(context, "drop_last"):
        if _may_drop(loader):
            message, at = _PHASES.format(phases=phases), loader.argument_place("drop_last")
            yield Finding(Severity.INFO, message, loader.place, argument=at)


def _is_wanting(loader: Loader) -> bool:
    return is_asked_for(loader, "drop_last") and _may_drop(loader) and only_evaluates(loader)


def _may_drop(loader: Loader) -> bool:
    """Whether a loader that drops its last batch may leave samples out, and somebody counts."""
    if loader.gives("sampler"):
        return False
    if all(a.is_absent or a.integer == 1 for a in loader.argument("batch_size")):
        return False  # a batch of one sample is always full
    if not loader.is_made or any(x.stops_early_by_default or x.is_paired for x in loader.loops):
        return False
    return not (
        is_only_tried(loader) or takes_full_batches(loader) or volume_of(loader).fills_batches
    )


def _fix(loader: Loader) -> Fix | None:
    """Evaluate all samples, where the call itself drops some."""
    if loader.written("drop_last") is None:
        return None
    operation = RemoveArgument(loader.place, "drop_last", loader.position("drop_last"), "False")
    return Fix(Applicability.UNSAFE, "Evaluate the last batch too", (operation,))
