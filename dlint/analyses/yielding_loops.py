"""The loops of a generator that yield in each round.

Question: what does a generator go through to yield something of each element? Followed: the
innermost loop around each `yield`, whatever is yielded. Told of one function by its code alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Scope, Statement


@told_by_code
def yielding_loops(scope: Scope) -> tuple[ex.Expression, ...]:
    """What the loops around the yields of a function go through."""
    return tuple(_around_yields(scope)) if scope.yields else ()


def _around_yields(scope: Scope) -> Iterator[ex.Expression]:
    for statement in walk.statements(scope.body):
        loop = next(walk.enclosing_loops(statement), None)
        if loop is not None and loop.iterable is not None and _yields(statement):
            yield loop.iterable


def _yields(statement: Statement) -> bool:
    parts = (part for one in walk.expressions(statement) for part in walk.walk(one))
    return any(isinstance(part, ex.Yield) for part in parts)
