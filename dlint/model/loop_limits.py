"""How many batches a loop reads at most, by what it says itself.

Followed: a body that no round leaves for the next, `islice(loader, n)`, `if i == n: break` by the
count of `enumerate`, `if i >= n: break` by one that is kept by hand, where all values of `n` are
known numbers; those that hold only by default count where they are asked for, and so does
`next(batches)` in `for _ in range(n)`, also where the loader is begun anew in between. None is *not
known*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import Completion, completions, leaves_in_first_round
from dlint.analyses.control.rounds import counted_rounds
from dlint.analyses.value_parts import parts_gone_through
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, If, Jump, Loop, Return, Scope
from dlint.semantics.values.conditional_value import ConditionalValues
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.model.loops import BatchLoop

_LEAVING = frozenset({Completion.BREAK, Completion.RETURN})
_REACHED = {"==": 1, ">=": 1, ">": 2}
"""By which test a count ends a loop, with how many batches more than the count it has read."""


def most_batches(loop: BatchLoop, *, with_defaults: bool = False) -> int | None:
    """How many batches one run of a loop reads at most, by what its own code says."""
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single:
        return _asked(loop) if with_defaults and (loop.is_single or begins_anew(loop)) else None
    if leaves_in_first_round(statement):
        return 1
    limits = [*_sliced(loop.iterable), *_counted(statement, loop.scope)]
    found = [(_most(loop, number, with_defaults), more) for number, more in limits]
    return min((number + more for number, more in found if number is not None), default=None)


def begins_anew(loop: BatchLoop) -> bool:
    """Whether it is `iter(loader)`, where the loader has ended."""
    parts = (p for e in walk.expressions(loop.statement) for p in walk.walk(e))
    calls = (p for p in parts if isinstance(p, ex.Call) and p.name == "iter")
    return loop.is_restart and any(written(call, 0) is loop.iterable for call in calls)


def _asked(loop: BatchLoop) -> int | None:
    """The rounds of the loop around a statement that asks for one batch, or begins anew."""
    around = next(walk.enclosing_loops(loop.statement), None)
    return None if around is None else _largest(counted_rounds(loop.context, around, loop.scope))


def reads_one_batch(loop: BatchLoop) -> bool:
    """Whether a loop that nothing repeats in its function leaves with its first batch."""
    return most_batches(loop) == 1 and not loop.outer_loops


def ends_every_round(loop: BatchLoop) -> bool:
    """Whether a loop runs to the end of its body for each batch: no `continue`, nothing leaves."""
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single:
        return False
    return not any(isinstance(s, Return | Jump) for s in walk.statements(statement.body))


def takes_every_batch(loop: BatchLoop) -> bool:
    """Whether a real run goes on to the last batch, and no `continue` passes over any.

    What only a short trial of the program leaves out counts as taken.
    """
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single or loop.stops_early:
        return False
    inner = walk.statements(statement.body)
    return not any(isinstance(s, Jump) and s.kind == "continue" for s in inner)


def _sliced(iterable: ex.Expression) -> Iterator[tuple[ex.Expression, int]]:
    for part in parts_gone_through(iterable):
        if isinstance(part, ex.Call) and part.name == "islice":
            number = written(part, 1)
            if number is not None and written(part, 2) is None:
                yield number, 0


def _counted(loop: Loop, scope: Scope) -> Iterator[tuple[ex.Expression, int]]:
    for statement in loop.body.statements:
        if isinstance(statement, If) and completions(statement.then) <= _LEAVING:
            test = statement.test
            if not isinstance(test, ex.Comparison):
                continue
            by_hand = test.operator != "==" and _is_counted_by_hand(test.left, loop, scope)
            if by_hand or _counts_rounds(test.left, loop):
                more = _REACHED.get(test.operator)
                if more is not None:
                    yield test.right, more


def _counts_rounds(expression: ex.Expression, loop: Loop) -> bool:
    """Whether a name is the count of `enumerate(…)` over a loop's batches, from 0 on."""
    if not isinstance(expression, ex.Reference) or expression.definition not in loop.definitions:
        return False
    match expression.definition.value:
        case ex.Item(value=ex.Element(source=ex.Call() as call), position=0):
            return call.name == "enumerate" and written(call, 1, "start") is None
    return False


def _is_counted_by_hand(expression: ex.Expression, loop: Loop, scope: Scope) -> bool:
    """Whether a name begins with 0 and is one more in each round of a loop."""
    if not isinstance(expression, ex.Reference):
        return False
    name = expression.name
    written_to = [d.value for d in scope.definitions if d.name == name]
    counting = [s for s in loop.body.statements if isinstance(s, Bind) and _adds_one(s, name)]
    begun = [value for value in written_to if isinstance(value, ex.Constant) and value.value == 0]
    return len(counting) == 1 and bool(begun) and len(begun) + 1 == len(written_to)


def _adds_one(statement: Bind, name: str) -> bool:
    """`steps += 1`."""
    value = statement.value
    if not isinstance(value, ex.Binary) or value.operator != "+":
        return False
    counted = isinstance(value.left, ex.Reference) and value.left.name == name
    one = isinstance(value.right, ex.Constant) and value.right.value == 1
    return counted and one and [d.name for d in statement.definitions] == [name]


def _most(loop: BatchLoop, number: ex.Expression, with_defaults: bool) -> int | None:
    """The largest value of an expression; None where one of them is not known."""
    found = loop.context.evaluator.of(number, loop.context.solver.root(loop.scope))
    if not with_defaults and any(a.assumed is not None for a in found):
        return None
    return _largest(found)


def _largest(found: ConditionalValues) -> int | None:
    values = [a.value.value if isinstance(a.value, Literal) else None for a in found]
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    return max(numbers) if numbers and len(numbers) == len(values) else None
