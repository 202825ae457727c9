"""sharing-strategy-choice: `file_system` where nothing says that descriptors run out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding
from dlint.library_facts.sharing_strategies import FILE_SYSTEM
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_retention import retentions
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.workers.sharing_strategies import strategy_calls

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.workers.sharing_strategies import StrategyCall

_MESSAGE = (
    "`file_system` keeps named files in shared memory, which leak when a process is killed, and "
    "needs as much of it as `file_descriptor`; torch recommends it only where descriptors run out: "
    "against that raise the limit of open files, against a full /dev/shm make that larger"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls that choose `file_system` without a reason that can be seen."""
    found = [call for call in strategy_calls(context) if _is_unexplained(call)]
    if not found or _may_keep(context):
        return
    for call in found:
        if _has_workers(context, call):
            yield Finding(Severity.INFO, _MESSAGE, call.place)


def _is_unexplained(call: StrategyCall) -> bool:
    if call.names != {FILE_SYSTEM}:
        return False
    return not call.is_for_platform and not call.speaks_of_descriptors


def _may_keep(context: AnalysisContext) -> bool:
    """Whether batches may be kept, which takes an open file for each tensor otherwise."""
    return any(True for _ in retentions(context, possibly=True))


def _has_workers(context: AnalysisContext, call: StrategyCall) -> bool:
    """Whether it is loaders' workers that share: other processes may have other needs."""
    programs = context[EntryPoints].run_with(call.place.path)
    loaders = (x for group in context[Loaders].by_call().values() for x in group)
    return any(x.place.path in programs and not x.workers_absent for x in loaders)
