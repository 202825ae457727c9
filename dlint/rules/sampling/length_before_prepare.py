"""length-before-prepare: schedules as long as a loader was before processes divided its batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loops.schedule_lengths import LongSchedule, long_schedules

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Schedules of more steps than a process takes, counted before the loader was divided."""
    reported: set[Place] = set()
    for found in long_schedules(context):
        if found.length not in reported:
            reported.add(found.length)
            yield _finding(found)


def _finding(use: LongSchedule) -> Finding:
    related = (
        Related(use.schedule, "the schedule is made here"),
        Related(use.division, "the batches are divided here"),
    )
    if use.steady_by is None:
        return Finding(Severity.WARNING, _why(use), use.length, related)
    why = (
        f"the schedule is made for a length that `{use.method}` does not make it step through; by "
        f"the {use.steady_by} it is one without a length, but another decays too slowly by the "
        "number of processes"
    )
    return Finding(Severity.INFO, why, use.length, related)


def _why(use: LongSchedule) -> str:
    method = f"`{use.method}`"
    if use.is_prepared:
        return (
            f"the schedule is made for this length times the number of processes, but {method} "
            "steps it once for each process and gives each one its share of the batches: the "
            "learning rate decays too slowly by the number of processes; leave the factor out, "
            "or ask for the length of the prepared loader"
        )
    return (
        f"this is the length before {method} divides the batches among the processes, and "
        "the schedule is made for it: with several processes the learning rate decays too "
        f"slowly by their number; ask for the length of the loader that {method} returns"
    )
