"""nested-parallelism-in-worker: workers that start processes, or more threads for torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts.processes import POOL_NAMES, POOLS, PROCESSES, THREAD_SETTERS
from dlint.model.device_code import is_switched
from dlint.model.worker_code import WorkerCode
from dlint.model.worker_counts import text_of
from dlint.semantics.values.values import External, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext

_NAMES = POOL_NAMES | {"set_num_threads"}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls in worker code that start processes or threads, once for each place."""
    seen: set[Place] = set()
    for entry in context[WorkerCode].entries:
        for call, frame in entry.calls() if entry.working is not None else ():
            if call.name not in _NAMES or is_switched(context, call, frame):
                continue
            place = context.place_of(call)
            found = _judged(context, entry, call, frame)
            if found is not None and place not in seen:
                seen.add(place)
                yield Finding(*found, place, _related(entry))


def _judged(
    context: AnalysisContext, entry: Entry, call: ex.Call, frame: CallContext
) -> tuple[Severity, str] | None:
    assert entry.working is not None
    targets = entry.targets.of(call.function, frame)
    paths = {target.path for target in targets if isinstance(target, External)}
    count = text_of(entry.working[1])
    started = next((POOLS[path] for path in sorted(paths) if path in POOLS), None)
    if started is None and paths & PROCESSES and _is_started(call):
        started = "a process"
    if started is not None:
        return Severity.ERROR, (
            f"this starts {started} in a worker ({count}), and workers are daemons: it raises "
            "`AssertionError: daemonic processes are not allowed to have children`; do the work "
            "in the worker itself, with threads, or before training"
        )
    threads = _threads(context, call, frame) if paths & THREAD_SETTERS else None
    if threads is not None:
        return Severity.INFO, (
            f"each worker ({count}) computes with {threads} threads here, where torch sets one: "
            "the workers may compete for the CPUs; measure it against one thread"
        )
    return None


def _is_started(call: ex.Call) -> bool:
    """Whether the function that makes a process starts one, too."""
    return any(c.name == "start" for c in call.scope.calls)


def _threads(context: AnalysisContext, call: ex.Call, frame: CallContext) -> int | None:
    """The number of threads, where it is known and above one."""
    given = written(call, 0, "int")
    for value in () if given is None else context.solver.values(given, frame):
        number = value.value if isinstance(value, Literal) else None
        if isinstance(number, int) and number > 1:
            return number
    return None


def _related(entry: Entry) -> tuple[Related, ...]:
    assert entry.working is not None
    return (Related(entry.working[0].place, "this loader starts the workers"),)
