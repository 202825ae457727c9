"""Values that a training step has to know, since they decide what it does.

Questions: does a test of the loop's body, which each step comes to, ask for what certain calls read
of the GPU, or compare the loss itself; does a step check for numbers that are not finite? Followed
are the calls in the test, and local names that are bound to them. A test that only ends the program
decides nothing of a step: it may come some steps later. Given up on: values that go through other
calls, attributes or lists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import Completion, completions
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If
from dlint.model.loops.loss_gradients import gradient_of
from dlint.model.loops.loss_names import Tensor

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block

_ORDERING = frozenset({"<", "<=", ">", ">="})
_CHECKS = frozenset({"isfinite", "isnan", "isinf"})
"""Calls for which the host has to know a number."""
_FAILING = frozenset({Completion.RAISE})


def decides_step(context: AnalysisContext, body: Block, reads: Collection[ex.Call]) -> bool:
    """Whether each step tests what is read by some calls, or whether a loss is less than others."""
    parts = _parts(test for test in _tests(body) if not _ends_program(test))
    if any(origin_of(part) in reads for part in parts):
        return True
    compared = [p for p in parts if isinstance(p, ex.Comparison) and p.operator in _ORDERING]
    sides = [side for one in compared for side in (one.left, one.right)]
    return any(
        isinstance(side, Tensor) and gradient_of(context, side, body) is not None for side in sides
    )


def ends_program_by(body: Block, reads: Collection[ex.Call]) -> bool:
    """Whether a step ends the program by what calls read, or by a number that is not finite."""
    parts = _parts(filter(_ends_program, _tests(body)))
    checks = (part.name in _CHECKS for part in parts if isinstance(part, ex.Call))
    return any(checks) or any(origin_of(part) in reads for part in parts)


def _parts(tests: Iterable[If]) -> list[ex.Expression]:
    """All that tests ask for."""
    return [part for test in tests for part in walk.walk(test.test)]


def checks_numbers(calls: Iterable[ex.Call]) -> bool:
    """Whether a step asks if numbers are finite, and goes by it, or asks that at several places."""
    checks = (call for call in calls if call.name in _CHECKS and not _is_past_end(call))
    asking = {check.statement: check for check in checks}
    return len(asking) > 1 or not all(map(_only_ends_program, asking.values()))


def _is_past_end(call: ex.Call) -> bool:
    """Whether a step comes to a call only once a test has ended the program."""
    return any(
        isinstance(outer, If) and _ends_program(outer) for outer in walk.ancestors(call.statement)
    )


def _only_ends_program(check: ex.Call) -> bool:
    """Whether all that a check is asked for is whether the program is to end."""
    asking = check.statement
    return isinstance(asking, If) and _ends_program(asking)


def _ends_program(statement: If) -> bool:
    """Whether all that a test decides is whether the program fails or exits."""
    return completions(statement.then) == _FAILING and not statement.otherwise.statements


def _tests(body: Block) -> Iterator[If]:
    """The `if`s that each round comes to, or leaves before."""
    for statement in walk.statements(body):
        if isinstance(statement, If) and always_runs(statement, body, unless_left=True):
            yield statement
