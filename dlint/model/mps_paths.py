"""Copies to Apple's MPS: whether a run with this device comes there, and what becomes of the batch.

Questions: does every way to a copy exclude MPS; does the batch outlive the copy? Followed: tests
around the copy and before it, in its function and on every path of calls to that, which ask for
CUDA or for MPS (`device.type == "mps"`, `torch.cuda.is_available()`); calls of `torch.cuda` in its
function that raise without CUDA. A batch outlives its copy where a name holds it to the end of the
round, and the round waits for the device. Given up on: names that hold what such a test gave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import on_every_path
from dlint.analyses.control.path_tests import PathTest, call_always_runs, tests_of_call
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind
from dlint.library_facts.platforms import RAISING_WITHOUT_CUDA
from dlint.model.batch_copies import Way, ways_to
from dlint.model.step_waits import waits_in_round

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers import Transfer

_MEANS_MPS = {"cuda": False, "mps": True}
"""What it says of MPS that a device is named so."""
_RAISING_NAMES = {path.rpartition(".")[2] for path in RAISING_WITHOUT_CUDA}
_AVAILABLE = {"torch.cuda.is_available": False, "torch.backends.mps.is_available": True}


def excludes_mps(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether no run on MPS comes through a call."""
    if _is_closed(context, call) or _needs_cuda(context, call):
        return True
    found = on_every_path(
        context, call.scope, lambda way: (way,) if _is_closed(context, way) else ()
    )
    return bool(found)


def _is_closed(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a test that must come out so, before a call is made, excludes MPS."""
    return any(_says_of_mps(context, test) is False for test in tests_of_call(call))


def _says_of_mps(context: AnalysisContext, asked: PathTest) -> bool | None:
    """Whether a test says that the device is MPS; None where it says nothing of that."""
    test, truth = asked
    while isinstance(test, ex.Unary) and test.operator == "not":
        test, truth = test.operand, not truth
    if isinstance(test, ex.Boolean) and truth is (test.operator == "and"):
        sides = {_says_of_mps(context, PathTest(s, truth)) for s in (test.left, test.right)}
        return False if False in sides else None
    said = _named(context, test)
    if said is None:
        return None
    # that it is not CUDA does not say that it is MPS, and the other way round
    return said if truth else (False if said else None)


def _named(context: AnalysisContext, test: ex.Expression) -> bool | None:
    """What it says of MPS that a test holds."""
    if isinstance(test, ex.Call):
        found = [_AVAILABLE.get(path) for path in library_callees(context, test)]
        return found[0] if found else None
    if isinstance(test, ex.Comparison) and test.operator in {"==", "is"}:
        given = [ex.constant(side) for side in (test.left, test.right)]
        kinds = [str(c.value).partition(":")[0] for c in given if c is not None]
        return _MEANS_MPS.get(kinds[0]) if kinds else None
    return None


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
    names = {p.name for g in given for p in walk.walk(g) if isinstance(p, ex.Reference)}
    statement = call.statement
    bound = {d.name for d in statement.definitions} if isinstance(statement, Bind) else set()
    return bool(names) and not names & bound and waits_in_round(way.loop)
