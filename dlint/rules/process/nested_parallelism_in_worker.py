"""nested-parallelism-in-worker: workers that start processes, or more threads for torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.workers.worker_processes import nested_starts

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.workers.worker_processes import NestedStart


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls in worker code that start processes or threads, once for each place."""
    seen: set[Place] = set()
    for start in nested_starts(context):
        if start.place not in seen:
            seen.add(start.place)
            related = Related(start.working.loader.place, "this loader starts the workers")
            yield Finding(*_judged(start), start.place, (related,))


def _judged(start: NestedStart) -> tuple[Severity, str]:
    count = start.working.text
    if start.processes is not None:
        return Severity.ERROR, (
            f"this starts {start.processes} in a worker ({count}), and workers are daemons: it "
            "raises `AssertionError: daemonic processes are not allowed to have children`; do the "
            "work in the worker itself, with threads, or before training"
        )
    return Severity.INFO, (
        f"each worker ({count}) computes with {start.threads} threads here, where torch sets one: "
        "the workers may compete for the CPUs; measure it against one thread"
    )
