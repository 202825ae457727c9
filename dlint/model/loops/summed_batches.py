"""What a function adds up over the batches of a loader, before it divides the sum.

Question: what does each round of a loop over a loader, or over what a generator of the project
hands on from it, add to a dividend; and does the loop certainly leave batches unread? Followed: the
statements of such loops in the function that divides; `break` at a number of rounds or in each, and
`islice`. Given up on: sums that other functions keep, and limits that are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import parts_gone_through
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, If, Jump, Loop, Scope
from dlint.model.loops.batch_loops import BatchLoop
from dlint.model.loops.gone_through import iterated
from dlint.semantics.values.values import Generated, Value

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_REACHING = frozenset({"==", ">=", ">"})


def adds_up(loop: BatchLoop) -> bool:
    """Whether the body of a loop adds to a name, other than a count of its rounds or samples."""
    binds = () if loop.body is None else walk.statements(loop.body)
    added = [(s.definitions, s.value) for s in binds if isinstance(s, Bind)]
    return any(
        isinstance(value, ex.Binary)
        and value.operator == "+"
        and ex.dotted(value.left) == definition.name
        and not _is_count(value.right)
        for definitions, value in added
        for definition in definitions
    )


def _is_count(added: ex.Expression) -> bool:
    """`1`, `len(batch)`, `batch.size(0)`, `batch.shape[0]`."""
    if isinstance(added, ex.Subscript):
        return isinstance(added.value, ex.Attribute) and added.value.name == "shape"
    counted = isinstance(added, ex.Call) and added.name in ("len", "size")
    return counted or isinstance(added, ex.Constant)


def sums(
    loader: Loader, loop: BatchLoop, scope: Scope, total: ex.Expression
) -> Iterator[ex.Expression]:
    """What a loop that ends before a dividend is read adds to it, in the function that divides."""
    names = {ex.dotted(part) for part in walk.walk(total)} - {None}
    going = _going_through(loader, loop, scope)
    before = [loop for loop in going if loop.span[1] <= total.span[0]]
    for statement in (s for one in before for s in walk.statements(one.body)):
        added = statement.value if isinstance(statement, Bind) else None
        if (
            isinstance(added, ex.Binary)
            and added.operator == "+"
            and ex.dotted(added.left) in names
        ):
            yield added.right


def _going_through(loader: Loader, loop: BatchLoop, scope: Scope) -> Iterator[Loop]:
    """The loops of a function that go through the batches: over the loader, or a generator."""
    if loop.scope is scope:
        yield from [loop.statement] if isinstance(loop.statement, Loop) else []
        return
    for statement in walk.statements(scope.body) if loop.is_in_generator else ():
        if isinstance(statement, Loop) and statement.iterable is not None:
            values = loop.context.values(statement.iterable, scope)
            if values and all(_hands_on(loader, loop, value) for value in values):
                yield statement


def _hands_on(loader: Loader, loop: BatchLoop, value: Value) -> bool:
    """Whether a value is a generator that hands on what a loop takes of this loader, or of another
    one that the loop goes through.
    """
    if not isinstance(value, Generated) or value.scope is not loop.scope:
        return False
    solver = loop.context.solver
    given = solver.values(loop.iterable, value.frame)
    return any(loader.made in iterated(solver, one) for one in given)


def stops_at_number(loop: BatchLoop) -> bool:
    """Whether a loop is left after a number of rounds that is known: batches stay unread."""
    for part in parts_gone_through(loop.iterable):
        if isinstance(part, ex.Call) and "itertools.islice" in library_callees(loop.context, part):
            count = written(part, 1)
            return count is not None and len(part.arguments) == 2 and _is_number(loop, count)
    breaks = [s for s in walk.statements(loop.body) if isinstance(s, Jump)] if loop.body else []
    return any(
        s.kind == "break" and (s.block is loop.body or _is_at_number(loop, s)) for s in breaks
    )


def _is_at_number(loop: BatchLoop, jump: Jump) -> bool:
    """`if step == 50: break`, with a count that the loop itself keeps."""
    owner, statement = jump.block.owner, loop.statement
    if not isinstance(owner, If) or jump.block is not owner.then or owner.block is not loop.body:
        return False
    test = owner.test
    if not isinstance(test, ex.Comparison) or test.operator not in _REACHING:
        return False
    counted = test.left.left if isinstance(test.left, ex.Binary) else test.left
    rounds = isinstance(counted, ex.Reference) and _counts(loop, counted)
    return isinstance(statement, Loop) and rounds and _is_number(loop, test.right)


def _counts(loop: BatchLoop, name: ex.Reference) -> bool:
    """Whether a name is the number that `enumerate` gives each batch."""
    made = name.definition.value if name.definition is not None else None
    element = made.value if isinstance(made, ex.Item) and made.position == 0 else None
    through = element.iterable if isinstance(element, ex.Element) else None
    calls = (p for p in parts_gone_through(loop.iterable) if isinstance(p, ex.Call))
    return through is loop.iterable and any(call.name == "enumerate" for call in calls)


def _is_number(loop: BatchLoop, limit: ex.Expression) -> bool:
    """Whether a limit is above 0, on every path."""
    context = loop.context
    found = context.evaluator.of(limit, context.solver.root(loop.scope))
    return bool(found) and all(a.integer is not None and a.integer > 0 for a in found)
