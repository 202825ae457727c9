"""retained-worker-batches: batches of workers that are kept, with their shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.model.worker_counts import text_of
from dlint.rules.process._batch_retention import retentions

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.rules.process._batch_retention import Retention


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Tensors of batches that outlive the loop, as they came from the workers."""
    for kept in retentions(context):
        count = kept.loader.workers_present
        assert count is not None
        what = f"`{kept.text}`" if kept.text else "every batch"
        yield Finding(
            Severity.WARNING,
            f"{what} is kept as it came from a worker ({text_of(count)}), and so are the shared "
            "memory behind it and, by default on Linux, one open file for each tensor: after some "
            "hundred batches this fails with `Too many open files`, or /dev/shm is full; keep "
            f"{f'`{kept.copied}`' if kept.copied else 'copies'} instead",
            kept.place,
            (Related(kept.loader.place, "the loader with the workers"),),
            _fix(kept),
        )


def _fix(kept: Retention) -> Fix | None:
    """Keep a copy, where it certainly is a tensor."""
    if kept.copied is None:
        return None
    return Fix(
        Applicability.SAFE,
        "Keep a copy in memory of its own",
        (ReplaceExpression(kept.place, kept.copied),),
    )
