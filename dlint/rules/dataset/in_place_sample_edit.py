"""in-place-sample-edit: samples that are changed where the data set keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.sample_edits import sample_edits

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Changes that `__getitem__` makes to what the data set keeps, once for each place."""
    seen: set[Place] = set()
    for dataset in context[dataset_classes]:
        for edit in sample_edits(dataset):
            if edit.place not in seen:
                seen.add(edit.place)
                copy = ".clone()` or `.copy()" if edit.is_array else "copy.deepcopy(…)"
                yield Finding(
                    Severity.ERROR,
                    f"this changes the sample in `self.{edit.attribute}` itself: the next time the "
                    "index comes up it is changed again, so results depend on the epoch and on "
                    f"the number of workers; change a copy (`{copy}`)",
                    edit.place,
                    (Related(edit.taken, "this is the stored sample, not a copy"),),
                )
