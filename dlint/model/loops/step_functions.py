"""Functions that take the gradient step of a loop: `loss = self.train_on(batch)`.

Question: which functions does every round of a batch loop enter that take a gradient themselves?
Followed are calls in the loop's own body that no test passes over. Given up on: steps deeper down,
steps that a function repeats, and functions whose answer the loop tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import is_repeated
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope


class StepFunction(NamedTuple):
    """A function that a loop calls in every round, and that takes a gradient."""

    call: ex.Call
    scope: Scope


def step_functions(context: AnalysisContext, body: Block) -> list[StepFunction]:
    """The functions that take the gradients of a loop with this body."""
    return [
        StepFunction(call, callee)
        for call in calls_in(body)
        if call_always_runs(call, body, unless_left=True)
        for callee in callees_of(context, call)
        if _steps_once(callee)
    ]


def is_tested(function: StepFunction, body: Block) -> bool:
    """Whether a loop tests what the function returns, or a part of it."""
    tests = (e for s in walk.statements(body) if any(walk.blocks(s)) for e in walk.expressions(s))
    return any(_answer(part) is function.call for test in tests for part in walk.walk(test))


def _answer(part: ex.Expression) -> ex.Expression:
    """What a name stands for, or was unpacked from."""
    made = origin_of(part)
    return made.value if isinstance(made, ex.Item) else made


def _steps_once(scope: Scope) -> bool:
    """Whether a function takes gradients, and none of them in a loop."""
    steps = [call for call in scope.calls if call.name in GRADIENT_STEPS]
    return bool(steps) and not scope.yields and not any(map(is_repeated, steps))
