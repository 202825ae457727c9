"""workers-for-in-memory-data: workers that send samples which the loop could index itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.data import held_rows, in_memory
from dlint.model.loading.call_contexts import Placed, placed

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader

_NEED_WORKERS = ("persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout")


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers for samples that are rows in memory, with torch's own collation."""
    for found in placed(context, in_memory.is_better_without_workers, _has_none):
        loader = found.loaders[0]
        made = [context.place_of(one.call) for one in in_memory.tensors(loader) or ()]
        fix = None if found.at_caller else _fix(found.loaders)
        yield _finding(found, Severity.WARNING, _message(loader), made[0], fix)
    for found in placed(context, held_rows.may_do_without_workers, _has_none):
        rows = held_rows.held_rows(found.loaders[0])
        if rows is not None:
            yield _finding(found, Severity.INFO, _of_rows(found.loaders[0]), rows.place, None)


def _has_none(loader: Loader) -> bool:
    return loader.workers.is_zero


def _finding(
    found: Placed, severity: Severity, message: str, made: Place, fix: Fix | None
) -> Finding:
    loader = found.loaders[0]
    related = [Related(made, "the samples are in memory here")]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    at = loader.argument_place("num_workers")
    return Finding(severity, message, found.place, tuple(related), fix, at)


def _message(loader: Loader) -> str:
    return loader.in_words(
        f"the samples of this DataLoader are tensors in memory{_count(loader)}, and sending "
        "batches from worker processes costs more than indexing a small sample; leave "
        "`num_workers` at 0, or measure if samples are large"
    )


def _of_rows(loader: Loader) -> str:
    return loader.in_words(
        "the samples of this DataLoader are rows of arrays that its data set holds in "
        f"memory{_count(loader)}: sending batches from worker processes costs more than indexing "
        "small rows; measure it with `num_workers=0`"
    )


def _count(loader: Loader) -> str:
    positive = loader.workers.positive
    assumed = positive.assumed if positive is not None else None
    return f" (`num_workers` is above 0 by the {assumed})" if assumed else ""


def _fix(loaders: list[Loader]) -> Fix | None:
    """Make the batches in the loop, where no other argument asks for workers."""
    loader = loaders[0]
    if loader.written("num_workers") is None or any(
        not a.is_absent for name in _NEED_WORKERS for a in loader.argument(name)
    ):
        return None
    operation = RemoveArgument(loader.place, "num_workers", loader.position("num_workers"), "0")
    return Fix(Applicability.UNSAFE, "Do without workers", (operation,))
