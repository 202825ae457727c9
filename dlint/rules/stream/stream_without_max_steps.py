"""stream-without-max-steps: trainers that are given a stream, and not how many steps to take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.unbounded_trainings import UnboundedTraining, unbounded_trainings

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Trainers whose data have no length, by configurations that leave `max_steps` at -1."""
    reported: set[Place] = set()
    for training in unbounded_trainings(context):
        if training.place not in reported:
            reported.add(training.place)
            yield _finding(training)


def _finding(training: UnboundedTraining) -> Finding:
    related = []
    if training.trainer_place != training.place:
        related.append(Related(training.trainer_place, "the trainer is made here"))
    if training.data_place is not None:
        related.append(Related(training.data_place, "the data are a stream"))
    return Finding(
        Severity.ERROR,
        f"`{training.trainer}` raises ValueError when it is made: its training data are a "
        "stream without a length, so epochs do not say when to stop, and `max_steps` is not set; "
        "pass `max_steps=…`",
        training.place,
        tuple(related),
    )
