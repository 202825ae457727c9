"""transform-shared-by-splits: parts to train on and to evaluate that share one transform."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.data.shared_splits import SharedData, shared_data, written_for_one_part
from dlint.model.data.split_attributes import part_assignments, whole_assignments
from dlint.model.samples.random_samples import random_samples

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.samples.random_samples import RandomSamples


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets whose one transform is for training, and serves the evaluation too."""
    shared = shared_data(context)
    yield from _augmented(context, shared)
    yield from _overridden(context, shared)


def _augmented(context: AnalysisContext, shared: list[SharedData]) -> Iterator[Finding]:
    """Evaluations of parts of a data set that draws at random for each sample."""
    ineffective = {p.call for _, parts in part_assignments(context) for p in parts}
    for data in shared:
        found = random_samples(context, data.whole)
        if found is None or any(whole_assignments(context, data.whole)):
            continue
        if {o.call for o in context[DatasetOrigins].of_loader(data.evaluates) or ()} & ineffective:
            continue
        yield Finding(
            Severity.INFO if found.is_task or found.by_size else Severity.WARNING,
            _message(found),
            data.place,
            (Related(found.drawing, "this draws at random for each sample"), *_loaders(data)),
        )


def _loaders(data: SharedData) -> tuple[Related, ...]:
    """Where the loaders are made, of the part that is evaluated and of the one that trains."""
    if data.trains is data.evaluates:
        return (Related(data.trains.place, "this makes a loader for each phase"),)
    return (
        Related(data.evaluates.place, "this loader is only evaluated"),
        Related(data.trains.place, "this loader trains"),
    )


def _message(found: RandomSamples) -> str:
    """What is said of two parts of a data set that draws."""
    if found.is_task:
        return (
            "both parts take their samples from one data set, which draws anew how it distorts "
            "each: every evaluation sees other distortions, and its metric differs from pass to "
            "pass; take this part from a data set that seeds what it draws by the index"
        )
    if not found.is_own:
        return (
            "both parts take their samples from one data set and so through one random "
            "transform: the part that is only evaluated is augmented as well, and its metric "
            "differs from pass to pass; make a second data set with a transform for evaluation, "
            "and take the indices of this part from it"
        )
    return (
        "both parts take their samples from one data set, which draws at random how it changes "
        "each: the part that is only evaluated is augmented as well, and its metric differs "
        "from pass to pass; make a second data set without augmentation, and take the indices "
        "of this part from it"
    )


def _overridden(context: AnalysisContext, shared: list[SharedData]) -> Iterator[Finding]:
    """Transforms that are set for one part, by the data set that both share."""
    for data in shared:
        written = [a for a in whole_assignments(context, data.whole) if a.name != "dataset"]
        for name in dict.fromkeys(a.name for a in written):
            last = written_for_one_part(context, data, [a for a in written if a.name == name])
            if last is not None:
                yield Finding(
                    Severity.ERROR,
                    f"`.dataset` of a part is the whole data set, so this sets `{name}` for the "
                    "part that trains and for the one that is evaluated; give each part a data "
                    f"set of its own, made with its own `{name}`",
                    last,
                    (
                        Related(
                            context.place_of(data.whole.call), "both parts share this data set"
                        ),
                        *_loaders(data),
                    ),
                )
