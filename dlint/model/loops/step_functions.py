"""Functions that take the gradient step of a loop: `loss = self.train_on(batch)`.

Question: which functions does every round of a batch loop enter that take a gradient themselves?
Followed are calls in the loop's own body that no test passes over. Given up on: steps deeper down,
steps that a function repeats, and functions whose answer the loop tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import is_repeated
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, With
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


def is_tested(function: StepFunction, body: Block, reads: Collection[ex.Call]) -> bool:
    """Whether a loop tests what a function returns, or a part of it that holds one of its reads.

    What a `for` goes through, and whether something is None, is no test of a value.
    """
    asked = [part for test in _tests(body) for part in _asked(test)]
    positions = {at for part in asked for at in _parts_of(function.call, part)}
    return any(
        _holds_read(result, at, reads) for at in positions for result in function.scope.returns
    )


def _tests(body: Block) -> Iterator[ex.Expression]:
    """What decides which statements of a loop run."""
    for statement in walk.statements(body):
        if isinstance(statement, Loop):
            yield from () if statement.test is None else (statement.test,)
        elif not isinstance(statement, With) and any(walk.blocks(statement)):
            yield from walk.expressions(statement)


def _asked(test: ex.Expression) -> Iterator[ex.Expression]:
    """The parts of a test whose values it needs."""
    if isinstance(test, ex.Comparison) and test.operator in ("is", "is not"):
        return
    yield test
    for part in walk.children(test):
        yield from _asked(part)


def _parts_of(call: ex.Call, part: ex.Expression) -> Iterator[int | None]:
    """The part of a call's answer that a name stands for, by its position; None: all of it."""
    made = origin_of(part)
    while isinstance(made, ex.Subscript | ex.Attribute | ex.Element):
        made = origin_of(made.iterable if isinstance(made, ex.Element) else made.value)
    if isinstance(made, ex.Item) and made.value is call:
        yield None if made.starred else made.position
    elif made is call:
        yield None


def _holds_read(result: ex.Expression, at: int | None, reads: Collection[ex.Call]) -> bool:
    """Whether a returned part may hold a value that was read; of one that is not known it may."""
    if at is not None and isinstance(result, ex.Sequence) and 0 <= at < len(result.items):
        made = origin_of(result.items[at])
        return _is_filled(made) or any(origin_of(part) in reads for part in walk.walk(made))
    return True


def _steps_once(scope: Scope) -> bool:
    """Whether a function takes gradients, and none of them in a loop."""
    steps = [call for call in scope.calls if call.name in GRADIENT_STEPS]
    return bool(steps) and not scope.yields and not any(map(is_repeated, steps))


def _is_filled(made: ex.Expression) -> bool:
    """Whether it begins as an empty dict or list, which is filled afterwards."""
    match made:
        case ex.Mapping(items=()) | ex.Sequence(items=()) | ex.Call(arguments=()):
            return True
    return False
