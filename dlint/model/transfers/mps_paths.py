"""Copies to Apple's MPS: whether a run with this device comes there, and what becomes of the batch.

Questions: does every way to a copy exclude MPS; does the batch outlive the copy? Followed: tests
before the copy that ask for the device (`device_tests`); calls of `torch.cuda` in its function that
raise without CUDA. A batch outlives its copy where a name holds it to the end of the round, and the
round waits for the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import call_always_runs
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind
from dlint.library_facts.platforms import RAISING_WITHOUT_CUDA
from dlint.model.loops.step_waits import waits_in_round
from dlint.model.transfers.batch_copies import Way, ways_to
from dlint.model.transfers.device_tests import DeviceTests

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer

_RAISING_NAMES = {path.rpartition(".")[2] for path in RAISING_WITHOUT_CUDA}


def excludes_mps(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether no run on MPS comes through a call."""
    return context[DeviceTests].exclude("mps", call) or _needs_cuda(context, call)


def _needs_cuda(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a run of its function that does not fail calls what raises without CUDA."""
    scope = call.scope
    asked = (c for c in scope.calls if c.name in _RAISING_NAMES)
    return any(
        call_always_runs(c, scope.body, unless_left=True)
        and not RAISING_WITHOUT_CUDA.isdisjoint(library_callees(context, c))
        for c in asked
    )


def outlives_copy(transfer: Transfer) -> bool:
    """Whether what is copied is kept until the host has waited for the device."""
    ways = list(ways_to(transfer.context, transfer))
    return bool(ways) and all(_is_kept(transfer, way) for way in ways)


def _is_kept(transfer: Transfer, way: Way) -> bool:
    """Whether a name holds the batch to the end of a round which waits."""
    call = transfer.call if way.entry is None else way.entry
    given = [transfer.source] if way.entry is None else [a.value for a in way.entry.arguments]
    read = [p for g in given for p in walk.walk(g) if isinstance(p, ex.Reference)]
    names = {reference.name for reference in read}
    statement = call.statement
    bound = {d.name for d in statement.definitions} if isinstance(statement, Bind) else set()
    is_held = bool(names) and not names & bound
    return (is_held or _is_part_of_held(read, bound)) and waits_in_round(way.loop)


def _is_part_of_held(read: list[ex.Reference], bound: set[str]) -> bool:
    """Whether the batch is part of what another name holds: of `x, y = batch`."""
    made = [r.definition.value for r in read if r.definition is not None]
    wholes = [m.value for m in made if isinstance(m, ex.Item)]
    return bool(wholes) and all(
        isinstance(whole, ex.Reference) and whole.name not in bound for whole in wholes
    )
