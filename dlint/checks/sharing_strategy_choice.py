"""sharing-strategy-choice: `file_system` where nothing says that descriptors run out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.checks import Finding
from dlint.diagnostic import Severity
from dlint.domain.retention import retentions
from dlint.domain.sharing import STRATEGIES, strategy_calls

if TYPE_CHECKING:
    from dlint.domain.program import Program

_MESSAGE = (
    "`file_system` keeps named files in shared memory, which leak when a process is killed, and "
    "needs as much of it as `file_descriptor`; torch recommends it only where descriptors run out: "
    "against that raise the limit of open files, against a full /dev/shm make that larger"
)


def check(program: Program) -> Iterator[Finding]:
    """Calls that choose `file_system` without a reason that can be seen."""
    kept = None
    for call in strategy_calls(program):
        if call.names != {STRATEGIES[1]} or call.is_for_platform or call.speaks_of_descriptors:
            continue
        if kept is None:
            kept = any(True for _ in retentions(program))
        if not kept:
            yield Finding(Severity.INFO, _MESSAGE, call.place)
