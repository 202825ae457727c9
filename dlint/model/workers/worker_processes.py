"""What worker code starts beside itself: processes, and threads that torch computes with.

Question: which calls of worker code start processes, or set more threads than one for torch?
Followed is what workers run; silent where a switch may keep workers from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.processes import POOL_NAMES, POOLS, PROCESSES, THREAD_SETTERS
from dlint.model.workers.device_code import is_switched
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.values.values import External, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.workers.worker_code import Entry
    from dlint.model.workers.worker_counts import WorkingLoader
    from dlint.semantics.calls.call_contexts import CallContext

_NAMES = POOL_NAMES | {"set_num_threads"}


class NestedStart(NamedTuple):
    """A call of worker code that starts processes, or threads, and a loader with such workers."""

    place: Place
    working: WorkingLoader
    processes: str | None
    """What it starts (`a process pool`); None where it sets `threads`."""
    threads: int = 1
    """With how many threads torch computes from then on."""


def nested_starts(context: AnalysisContext) -> Iterator[NestedStart]:
    """The calls of worker code that start processes or threads, for each entry to it."""
    for entry in context[WorkerCode].entries:
        working = entry.working
        for call, frame in entry.calls() if working is not None else ():
            if call.name not in _NAMES or is_switched(context, call, frame):
                continue
            found = _started(context, entry, call, frame)
            if found is not None and working is not None:
                yield NestedStart(context.place_of(call), working, *found)


def _started(
    context: AnalysisContext, entry: Entry, call: ex.Call, frame: CallContext
) -> tuple[str | None, int] | None:
    """The processes that a call starts, and the threads that it sets; None for neither."""
    targets = entry.targets.of(call.function, frame)
    paths = {target.path for target in targets if isinstance(target, External)}
    paths = paths or set(library_callees(context, call))
    started = next((POOLS[path] for path in sorted(paths) if path in POOLS), None)
    if started is None and paths & PROCESSES and _is_started(call):
        started = "a process"
    if started is not None:
        return started, 1
    threads = _threads(context, call, frame) if paths & THREAD_SETTERS else None
    return None if threads is None else (None, threads)


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
