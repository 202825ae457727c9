"""Calls of torch that wait for the GPU, or make its driver wait.

Question: which calls of a step ask to wait, themselves or by the functions that they enter? Silent
for `synchronize` where the function measures time, for which it has to wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.path_tests import call_always_runs
from dlint.ir import walk

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Scope

WAITS = frozenset({"synchronize", "barrier"})
"""Calls that wait for the GPU at every step anyway."""

_EXPLICIT = {
    "torch.cuda.synchronize": "synchronize",
    "torch.accelerator.synchronize": "synchronize",
    "torch.cuda.empty_cache": "empty_cache",
    "torch.accelerator.empty_cache": "empty_cache",
}

_EXPLICIT_NAMES = frozenset(_EXPLICIT.values())

_CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "elapsed_time", "record"})
"""Calls by which a function measures time."""


def explicit_waits(
    context: AnalysisContext, calls: list[ex.Call], scope: Scope
) -> dict[str, list[ex.Call]]:
    """The calls that wait, by their last names; the last one waits for all that was asked for."""
    clocks = bool(walk.calls_in(scope, *sorted(_CLOCKS)))
    found: dict[str, list[ex.Call]] = {}
    for call in _entered(context, calls):
        path = None
        if call.name in _EXPLICIT_NAMES:
            path = next((p for p in library_callees(context, call) if p in _EXPLICIT), None)
        name = "" if path is None else _EXPLICIT[path]
        if name and not (clocks and name == "synchronize"):
            found.setdefault(name, []).append(call)
    return found


def _entered(context: AnalysisContext, calls: list[ex.Call]) -> Iterator[ex.Call]:
    """Some calls, and those that the functions always make which they enter."""
    yield from calls
    for scope in entered_by(context, calls, inner=_always):
        yield from _always(scope)


def _always(scope: Scope) -> list[ex.Call]:
    return [call for call in scope.calls if call_always_runs(call, scope.body)]
