"""How many batches a loop reads at most, by what it says itself.

Followed: a body that no round leaves for the next, `islice(loader, n)`, `if i == n: break` by the
count of `enumerate`, where the numbers are literals. None is *not known*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import Completion, completions, leaves_in_first_round
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Loop

if TYPE_CHECKING:
    from dlint.model.loops import BatchLoop

_LEAVING = frozenset({Completion.BREAK, Completion.RETURN})
_REACHED = {"==": 1, ">=": 1, ">": 2}
"""By which test a count ends a loop, with how many batches more than the count it has read."""


def most_batches(loop: BatchLoop) -> int | None:
    """How many batches one run of a loop reads at most, by what its own code says."""
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single:
        return None
    if leaves_in_first_round(statement):
        return 1
    return min([*_sliced(loop.iterable), *_counted(statement)], default=None)


def reads_one_batch(loop: BatchLoop) -> bool:
    """Whether a loop that nothing repeats in its function leaves with its first batch."""
    return most_batches(loop) == 1 and not loop.outer_loops


def _sliced(iterable: ex.Expression) -> Iterator[int]:
    for part in walk.walk(iterable):
        if isinstance(part, ex.Call) and part.name == "islice":
            number = _number(written(part, 1))
            if number is not None and written(part, 2) is None:
                yield number


def _counted(loop: Loop) -> Iterator[int]:
    for statement in loop.body.statements:
        if isinstance(statement, If) and completions(statement.then) <= _LEAVING:
            test = statement.test
            if isinstance(test, ex.Comparison) and _counts_rounds(test.left, loop):
                number, more = _number(test.right), _REACHED.get(test.operator)
                if number is not None and more is not None:
                    yield number + more


def _counts_rounds(expression: ex.Expression, loop: Loop) -> bool:
    """Whether a name is the count of `enumerate(…)` over a loop's batches, from 0 on."""
    if not isinstance(expression, ex.Reference) or expression.definition not in loop.definitions:
        return False
    match expression.definition.value:
        case ex.Item(value=ex.Element(iterable=ex.Call() as call), position=0):
            return call.name == "enumerate" and written(call, 1, "start") is None
    return False


def _number(expression: ex.Expression | None) -> int | None:
    found = ex.constant(expression)
    value = None if found is None else found.value
    return value if isinstance(value, int) and not isinstance(value, bool) else None
