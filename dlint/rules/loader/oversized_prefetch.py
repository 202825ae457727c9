"""oversized-prefetch: a `prefetch_factor` that keeps very many batches in memory at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.call_contexts import Placed, placed
from dlint.model.workers.worker_counts import number_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MANY = 64
"""So many batches in all."""
_DEEP, _SOME = 8, 32
"""So many batches for each worker, and in all where the number of workers is known."""


class _Depth(NamedTuple):
    """A `prefetch_factor`, and the default that it rests on."""

    factor: int
    assumed: str | None


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given a `prefetch_factor` far above torch's own 2."""
    for found in placed(context, _is_wanting, lambda loader: not _is_wanting(loader)):
        yield _finding(found)


def _is_wanting(loader: Loader) -> bool:
    if not loader.is_made or not loader.is_iterated or loader.workers_absent:
        return False
    if any(a.is_none for a in loader.argument("batch_size")):
        return False
    return _deepest(loader) is not None


def _deepest(loader: Loader) -> _Depth | None:
    """The first `prefetch_factor` by which too many batches wait."""
    given = loader.argument("prefetch_factor")
    if any(a.is_absent for a in given):
        return None
    known = (_Depth(a.integer, a.assumed) for a in given if a.integer is not None)
    return next((depth for depth in known if _is_too_deep(loader, depth.factor)), None)


def _is_too_deep(loader: Loader, factor: int) -> bool:
    workers = _workers(loader)
    if workers is None:
        return factor >= _DEEP
    total = workers * factor
    return factor > 2 and (total >= _MANY or (factor >= _DEEP and total >= _SOME))


def _workers(loader: Loader) -> int | None:
    present = loader.workers_present
    return None if present is None else number_of(present)


def _finding(found: Placed) -> Finding:
    loader = found.loaders[0]
    deepest = _deepest(loader)
    assert deepest is not None
    factor, workers = deepest.factor, _workers(loader)
    by = f" (by the {deepest.assumed})" if deepest.assumed else ""
    present = loader.workers_present
    if workers is None:
        count = f"each worker keeps {factor} batches ready"
    else:
        default = present.assumed if present is not None else None
        of = f"{workers} workers (by the {default})" if default else f"{workers} workers"
        count = f"{of} keep {factor} batches ready each, {workers * factor} in all"
    message = (
        f"with `prefetch_factor={factor}`{by} {count}, and their tensors lie in shared memory, "
        "which is small in containers; beyond what evens out slow samples more of them do not "
        "make loading faster, so compare with the default of 2"
    )
    related = (Related(loader.place, "the loader is made here"),) if found.at_caller else ()
    at = loader.argument_place("prefetch_factor")
    return Finding(Severity.INFO, loader.in_words(message), found.place, related, argument=at)
