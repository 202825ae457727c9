"""Edits that are only worth trying: what a rule cannot know is measured instead."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix
from dlint.findings.operations import Operation, SetArgument
from dlint.fixes.trials.lazy_loading import lazy_reading
from dlint.fixes.trials.sharding import sharded
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

_WORKERS_POSITION = 5
"""Of `num_workers` among the arguments of `DataLoader`."""
_OF_WORKERS = ("num_workers", "persistent_workers")
_COUNTS = (2, 4, 8)
_BY_SHAPE: dict[str, tuple[str, Callable[[Diagnostic, Source], Fix | None]]] = {
    "eager-load-in-init": ("read when asked", lazy_reading),
    "iterable-without-worker-sharding": ("every n-th item", sharded),
}
"""Rules whose trial needs a standard shape: a word for it, and what makes it."""


def trials(diagnostic: Diagnostic, sources: Sources) -> Iterator[tuple[str, Fix]]:
    """Fixes to try for a finding that has none, or no certain one, each with a word for it."""
    if diagnostic.name == "zero-workers" and _is_loader(diagnostic, sources):
        for count in worker_counts(affinity()):
            title = f"Make the samples in {count} worker{'s' if count > 1 else ''} that stay"
            operations = _with_workers(diagnostic, count)
            yield f"num_workers={count}", Fix(Applicability.TRIAL, title, operations)
    elif diagnostic.name == "oversized-prefetch" and _is_loader(diagnostic, sources):
        operation = SetArgument(diagnostic.place, "prefetch_factor", "2")
        title = "Keep two batches of each worker, as torch does by itself"
        yield "prefetch_factor=2", Fix(Applicability.TRIAL, title, (operation,))
    elif diagnostic.name in _BY_SHAPE:
        word, make = _BY_SHAPE[diagnostic.name]
        fix = make(diagnostic, sources.get(diagnostic.place.path))
        if fix is not None:
            yield word, fix


def _with_workers(diagnostic: Diagnostic, count: int) -> tuple[Operation, ...]:
    """So many workers that stay, and what else the rule's own fix does with them."""
    place = diagnostic.place
    own = () if diagnostic.fix is None else diagnostic.fix.operations
    others = (o for o in own if not isinstance(o, SetArgument) or o.name not in _OF_WORKERS)
    return (
        SetArgument(place, "num_workers", str(count), _WORKERS_POSITION),
        SetArgument(place, "persistent_workers", "True"),
        *others,
    )


def affinity() -> int:
    """How many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worker_counts(cpus: int) -> list[int]:
    """A few numbers of workers up to that of the CPUs."""
    return [count for count in _COUNTS if count <= cpus] or [1]


def _is_loader(diagnostic: Diagnostic, sources: Sources) -> bool:
    """Whether the finding stands at the call of the class itself: only that takes the argument."""
    place = diagnostic.place
    called = sources.get(place.path).text[place.start : place.end].partition("(")[0]
    return called.rstrip().endswith("DataLoader")
