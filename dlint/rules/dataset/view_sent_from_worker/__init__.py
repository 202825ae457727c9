"""view-sent-from-worker: rows of a tensor that take the whole tensor to shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.ir import expressions as ex
from dlint.model.datasets import dataset_classes
from dlint.model.worker_counts import text_of
from dlint.rules.dataset.view_sent_from_worker.sent_views import sent_views

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


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
                _fix(view.row, place),
            )


def _fix(row: ex.Subscript, place: Place) -> Fix | None:
    """A copy of the row, where it is `self.name[index]`."""
    if not isinstance(row.value, ex.Attribute) or not isinstance(row.index, ex.Reference):
        return None
    owner = row.value.value
    if not isinstance(owner, ex.Reference):
        return None
    text = f"{owner.name}.{row.value.name}[{row.index.name}].clone()"
    return Fix(Applicability.SAFE, "Send a copy", (ReplaceExpression(place, text),))
