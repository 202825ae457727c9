"""retained-worker-batches: batches of workers that are kept, with their shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.library_facts.sharing_strategies import FILE_SYSTEM
from dlint.model.loops.batch_retention import retentions
from dlint.model.workers.sharing_strategies import strategy_calls
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loops.batch_retention import Retention


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Tensors of batches that outlive the loop, as they came from the workers."""
    provided = any(FILE_SYSTEM in call.names for call in strategy_calls(context))
    for kept in retentions(context):
        if (kept.fits and kept.counted is None) or kept.is_little or (kept.small and provided):
            continue
        related = (Related(kept.loader.place, "the loader with the workers"),)
        few = kept.may_fit and kept.counted is None
        severity = Severity.INFO if provided or few else Severity.WARNING
        message = _counting(kept) if kept.counted else _keeping(kept, provided=provided)
        yield Finding(severity, message, kept.place, related, _fix(kept))


def _workers(kept: Retention) -> str:
    count = kept.loader.workers_present
    assert count is not None
    return text_of(count)


def _keeping(kept: Retention, *, provided: bool) -> str:
    what = f"`{kept.text}`" if kept.text else "every batch"
    held = "so are the shared memory behind it and, by default on Linux, one open file for each "
    held += "tensor: after some hundred batches this fails with `Too many open files`, or /dev/shm "
    held += "is full"
    if provided:
        held = "so is the shared memory behind it: if the batches are large, /dev/shm is full soon"
    instead = f"`{kept.copied}`" if kept.copied else "copies"
    what_comes = f"{what} is kept as it came from a worker ({_workers(kept)}), and {held}"
    return f"{what_comes}; keep {instead} instead"


def _counting(kept: Retention) -> str:
    return (
        f"every batch is read, and kept as it came from a worker ({_workers(kept)}), only to be "
        "counted: after some hundred batches this fails with `Too many open files`, or /dev/shm "
        f"is full; `len({kept.counted})` is their number"
    )


def _fix(kept: Retention) -> Fix | None:
    """Keep a copy, where it certainly is a tensor; ask for the number that is wanted."""
    if kept.counted is not None:
        asked = ReplaceExpression(kept.place, kept.counted)
        return Fix(Applicability.UNSAFE, "Ask the loader for its length", (asked,))
    if kept.copied is None:
        return None
    return Fix(
        Applicability.SAFE,
        "Keep a copy in memory of its own",
        (ReplaceExpression(kept.place, kept.copied),),
    )
