"""worker-local-state: what the main process sets when workers have their own copy already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.workers.late_states import late_states
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Attributes that are set in each epoch for workers that live on, once for each place."""
    seen: set[Place] = set()
    for dataset in context[dataset_classes]:
        for late in late_states(dataset):
            present = late.loader.workers_present
            if late.place in seen or present is None:
                continue
            seen.add(late.place)
            yield Finding(
                Severity.ERROR,
                f"this sets `{late.attribute}` of `{dataset.cls.name}` in the main process, but "
                f"the workers ({text_of(present)}, `persistent_workers=True`) have had their own "
                "copy since the first epoch and never see it; keep it in shared memory "
                "(`torch.zeros(()).share_memory_()`), or do without `persistent_workers`",
                late.place,
                (Related(late.loader.place, "the workers of this loader live on"),),
            )
