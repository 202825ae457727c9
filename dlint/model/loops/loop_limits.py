"""How many batches a loop reads at most, by what it says itself.

Followed: a body that no round leaves for the next, `islice(loader, n)`, `if i == n: break` by the
count of `enumerate`, `if i >= n: break` by one that is kept by hand, an error or an `assert` in
their place, where all values of `n` are
known numbers; those that hold only by default count where they are asked for, and so does
`next(batches)` in `for _ in range(n)`, also where the loader is begun anew in between; a count that
each round adds the samples of its batch to (`seen += x.size(0)`). None is *not known*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import Completion, completions, leaves_in_first_round
from dlint.analyses.control.rounds import largest, most_rounds
from dlint.analyses.value_parts import parts_gone_through
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Jump, Loop, Return, Statement
from dlint.library_facts import tensors
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.model.loops.batch_loops import BatchLoop

_LEAVING = frozenset({Completion.BREAK, Completion.RETURN, Completion.RAISE})
_REACHED = {"==": 1, ">=": 1, ">": 2}
"""By which test a count ends a loop, with how many batches more than the count it has read."""
_HELD = {"==": 1, "<=": 1, "<": 0}
"""The same by what is asserted of the count."""


def most_batches(loop: BatchLoop, *, with_defaults: bool = False) -> int | None:
    """How many batches one run of a loop reads at most, by what its own code says."""
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single:
        return _asked(loop) if with_defaults and (loop.is_single or begins_anew(loop)) else None
    if leaves_in_first_round(statement):
        return 1
    limits = [*_sliced(loop.iterable), *_counted(statement, partial(_is_of_rounds, loop))]
    return _least(loop, limits, with_defaults=with_defaults)


def most_samples(loop: BatchLoop) -> int | None:
    """How many samples a loop has gone through at most when it takes its last batch, by a count of
    them: `seen += x.size(0)`, `if seen >= 100: break`.
    """
    statement = loop.statement
    if not isinstance(statement, Loop) or loop.is_single:
        return None
    limits = _counted(statement, partial(_is_of_samples, loop))
    return _least(loop, ((number, more - 1) for number, more in limits), with_defaults=True)


def _least(
    loop: BatchLoop, limits: Iterable[tuple[ex.Expression, int]], *, with_defaults: bool
) -> int | None:
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
    return None if around is None else most_rounds(loop.context, around, loop.scope)


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


def _counted(
    loop: Loop, is_count: Callable[[ex.Comparison], bool]
) -> Iterator[tuple[ex.Expression, int]]:
    """The numbers at which a loop is left by a count, with how far this goes beyond them."""
    for statement in loop.body.statements:
        test, told = _ending(statement)
        more = told.get(test.operator) if isinstance(test, ex.Comparison) else None
        if more is not None and isinstance(test, ex.Comparison) and is_count(test):
            yield test.right, more


def _ending(statement: Statement) -> tuple[ex.Expression | None, dict[str, int]]:
    """The test by which a statement ends a loop, and what it tells of the count."""
    if isinstance(statement, If) and completions(statement.then) <= _LEAVING:
        return statement.test, _REACHED
    return statement.asserted if isinstance(statement, Evaluate) else None, _HELD


def _is_of_rounds(loop: BatchLoop, test: ex.Comparison) -> bool:
    """Whether a test is about the count of the rounds, by `enumerate` or by hand."""
    assert isinstance(loop.statement, Loop)
    if _counts_rounds(test.left, loop.statement):
        return True
    return test.operator != "==" and _is_counted_by_hand(test.left, loop, _adds_one)


def _is_of_samples(loop: BatchLoop, test: ex.Comparison) -> bool:
    adds = partial(_adds_samples, loop)
    return test.operator != "==" and _is_counted_by_hand(test.left, loop, adds)


def _counts_rounds(expression: ex.Expression, loop: Loop) -> bool:
    """Whether a name is the count of `enumerate(…)` over a loop's batches, from 0 on."""
    if not isinstance(expression, ex.Reference) or expression.definition not in loop.definitions:
        return False
    match expression.definition.value:
        case ex.Item(value=ex.Element(source=ex.Call() as call), position=0):
            return call.name == "enumerate" and written(call, 1, "start") is None
    return False


def _is_counted_by_hand(
    expression: ex.Expression, loop: BatchLoop, adds: Callable[[ex.Expression], bool]
) -> bool:
    """Whether a name begins with 0 and is added to in each round of a loop, and nowhere else."""
    if not isinstance(expression, ex.Reference) or not isinstance(loop.statement, Loop):
        return False
    name = expression.name
    written_to = [d.value for d in loop.scope.definitions if d.name == name]
    counting = [s for s in loop.statement.body.statements if _adds_to(s, name, adds)]
    begun = [value for value in written_to if isinstance(value, ex.Constant) and value.value == 0]
    return len(counting) == 1 and bool(begun) and len(begun) + 1 == len(written_to)


def _adds_to(statement: Statement, name: str, adds: Callable[[ex.Expression], bool]) -> bool:
    """`steps += 1`, `seen += len(x)`."""
    value = statement.value if isinstance(statement, Bind) else None
    if not isinstance(statement, Bind) or not isinstance(value, ex.Binary) or value.operator != "+":
        return False
    counted = isinstance(value.left, ex.Reference) and value.left.name == name
    return counted and adds(value.right) and [d.name for d in statement.definitions] == [name]


def _adds_one(added: ex.Expression) -> bool:
    return isinstance(added, ex.Constant) and added.value == 1


def _adds_samples(loop: BatchLoop, added: ex.Expression) -> bool:
    """Whether a number is the length of the first axis of something that a batch consists of."""
    measured = _measured(ex.unnamed(added))
    if measured is None or _is_whole(measured, loop):
        return False
    found = loop.context.values(_before_copies(measured), loop.scope)
    return bool(found) and all(isinstance(v, Batch) and v.loader in loop.loaders for v in found)


def _measured(number: ex.Expression) -> ex.Expression | None:
    """What `x.size(0)`, `x.shape[0]` or `len(x)` is the length of."""
    match number:
        case ex.Call(name="len", arguments=(ex.Argument(value=measured),)):
            return measured
        case ex.Call(function=ex.Attribute(name="size", value=measured)):
            axis = written(number, 0)
        case ex.Subscript(value=ex.Attribute(name="shape", value=measured), index=axis):
            pass
        case _:
            return None
    first = axis is not None and (known := ex.constant(axis)) is not None and known.value == 0
    return measured if first else None


def _before_copies(tensor: ex.Expression) -> ex.Expression:
    """What was copied to a device: `x` of `x.to(device)`, behind a name as well."""
    made = ex.unnamed(tensor)
    while isinstance(made, ex.Call) and made.name in tensors.COPIES:
        if not isinstance(made.function, ex.Attribute):
            break
        tensor = made.function.value
        made = ex.unnamed(tensor)
    return tensor


def _is_whole(measured: ex.Expression, loop: BatchLoop) -> bool:
    """Whether it is all of a batch, which may be a tuple of tensors."""
    made = ex.unnamed(measured)
    return isinstance(made, ex.Element) and made.iterable is loop.iterable


def _most(loop: BatchLoop, number: ex.Expression, with_defaults: bool) -> int | None:
    """The largest value of an expression; None where one of them is not known."""
    found = loop.context.evaluator.of(number, loop.context.solver.root(loop.scope))
    if not with_defaults and any(a.assumed is not None for a in found):
        return None
    return largest(found)
