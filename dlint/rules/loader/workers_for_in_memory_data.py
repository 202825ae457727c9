"""workers-for-in-memory-data: workers that send samples which the loop could index itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.data import in_memory
from dlint.model.loading.call_contexts import Placed, placed

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_NEED_WORKERS = ("persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout")


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers for a `TensorDataset`, with torch's own collation."""
    for found in placed(context, in_memory.is_better_without_workers, _has_none):
        yield _finding(found)


def _has_none(loader: Loader) -> bool:
    return loader.workers.is_zero


def _finding(found: Placed) -> Finding:
    loader = found.loaders[0]
    tensors = in_memory.tensors(loader) or []
    related = [Related(loader.context.place_of(tensors[0].call), "the samples are in memory here")]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    fix = None if found.at_caller else _fix(found.loaders)
    at = loader.argument_place("num_workers")
    return Finding(Severity.WARNING, _message(loader), found.place, tuple(related), fix, at)


def _message(loader: Loader) -> str:
    positive = loader.workers.positive
    assumed = positive.assumed if positive is not None else None
    count = f" (`num_workers` is above 0 by the {assumed})" if assumed else ""
    return loader.in_words(
        f"the samples of this DataLoader are tensors in memory{count}, and sending batches from "
        "worker processes costs more than indexing a small sample; leave `num_workers` at 0, or "
        "measure if samples are large"
    )


def _fix(loaders: list[Loader]) -> Fix | None:
    """Make the batches in the loop, where no other argument asks for workers."""
    loader = loaders[0]
    if loader.written("num_workers") is None or any(
        not a.is_absent for name in _NEED_WORKERS for a in loader.argument(name)
    ):
        return None
    operation = RemoveArgument(loader.place, "num_workers", loader.position("num_workers"), "0")
    return Fix(Applicability.UNSAFE, "Do without workers", (operation,))
