"""view-sent-from-worker: rows of a tensor that take the whole tensor to shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.sent_views import sent_views
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.samples.sent_views import SentView


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Samples that are views of a stored tensor, where nothing stacks them, once for each."""
    seen: set[Place] = set()
    for dataset in context[dataset_classes]:
        for view in sent_views(dataset):
            place = view.place
            present = view.loader.workers_present
            if place in seen or present is None:
                continue
            seen.add(place)
            yield Finding(
                Severity.WARNING,
                f"this is a view of `self.{view.attribute}`, and the loader sends samples as they "
                f"are ({text_of(present)}): with a view, each worker moves the whole tensor to "
                "shared memory (/dev/shm); send a copy of the row (`.clone()`)",
                place,
                (Related(view.loader.place, "nothing stacks the samples of this loader"),),
                _fix(view),
            )


def _fix(view: SentView) -> Fix | None:
    """A copy of the row, where it is `self.name[index]`."""
    if view.copied is None:
        return None
    return Fix(Applicability.SAFE, "Send a copy", (ReplaceExpression(view.place, view.copied),))
