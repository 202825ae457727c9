"""Processes of torch_xla: what starts one for each device, and which code runs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.call_paths import calls_below, leading_to
from dlint.library_facts import launchers as known
from dlint.model.loops.batch_loops import calls_in
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Block, Scope


def launches(context: AnalysisContext) -> frozenset[ex.Call]:
    """The calls that run a function in one process for each XLA device."""
    if any(calls_to(context, known.XLA_SPMD)):
        return frozenset()
    found = calls_to(context, *known.XLA_SPAWN)
    return frozenset(call for call in found if not _is_single(context, call))


def launch_of(context: AnalysisContext, scope: Scope) -> ex.Call | None:
    """The call that starts the processes in which a function runs; None where none is seen."""
    if not context[launches]:
        return None
    return next((call for call in leading_to(context, scope) if call in context[launches]), None)


def steps_in(context: AnalysisContext, block: Block) -> bool:
    """Whether a block averages gradients over these processes, itself or by what it calls."""
    return any(
        is_call_to(context, call, known.XLA_STEPS)
        for call in calls_below(context, calls_in(block))
        if call.name is not None
    )


def _is_single(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether it may be told to start one process only."""
    bound = bind(context, call)
    return any(
        a.value == Literal.of(number)
        for name, number in known.XLA_SINGLE.items()
        for a in bound.alternatives(name)
    )
