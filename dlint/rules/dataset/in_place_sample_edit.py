"""in-place-sample-edit: samples that are changed where the data set keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.record_growth import RecordGrowth, record_growth
from dlint.model.samples.sample_edits import sample_edits

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_STORED = "this is the stored sample, not a copy"


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
                    (Related(edit.taken, _STORED),),
                )
        for growth in record_growth(dataset):
            if growth.place not in seen:
                seen.add(growth.place)
                yield _of_growth(growth)


def _of_growth(growth: RecordGrowth) -> Finding:
    return Finding(
        Severity.WARNING,
        f"this puts what is read for the sample into the record of `self.{growth.attribute}` "
        f"itself, under `{growth.key}`: each process keeps all that it has read, which comes to "
        "be the whole data set; put it into a copy (`dict(…)`)",
        growth.place,
        (Related(growth.taken, _STORED),),
    )
