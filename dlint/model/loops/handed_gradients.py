"""Losses that a loop hands to a function which takes their gradient: `scaler(loss, optimizer)`.

Question: does a function that a step calls take the gradient of what it is handed, and is that a
name's tensor, or a sum or multiple of it? Followed: methods and functions of the project that the
step enters itself, and gradients of a parameter as it is, or scaled. Given up on: functions that
these call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in
from dlint.model.loops.loss_gradients import is_term

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope
    from dlint.model.loops.loss_names import Tensor


def is_handed_over(context: AnalysisContext, name: Tensor, body: Block) -> bool:
    """Whether a step hands a function what a name stands for, to take its gradient there."""
    handed = (given for call in calls_in(body) for given in _handed(context, call))
    return any(is_term(given, name) for given in handed)


def _handed(context: AnalysisContext, call: ex.Call) -> list[ex.Expression]:
    """What a call hands over for a function to take the gradient of."""
    taken = {name for callee in callees_of(context, call) for name in _differentiated(callee)}
    bound = bind(context, call) if taken else None
    given = (bound.get(name) for name in sorted(taken)) if bound is not None else ()
    return [one for one in given if one is not None]


def _differentiated(callee: Scope) -> set[str]:
    """The parameters of which a function takes the gradient, itself."""
    steps = (call.function for call in callee.calls if call.name in GRADIENT_STEPS)
    sources = (step.value for step in steps if isinstance(step, ex.Attribute))
    origins = (ex.unnamed(part) for source in sources for part in walk.walk(source))
    return {origin.name for origin in origins if isinstance(origin, ex.Parameter)}
