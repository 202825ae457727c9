"""What a generator goes through, each round of which is one of its own.

Question: of which iterables does a generator hand on what it makes of each element? Followed: loops
around a `yield` whose value is made of the loop's element, by names and calls. Given up on:
elements that are kept first, those of a loop inside, and generator expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.value_parts import parts_in_function
from dlint.ir import expressions as ex
from dlint.ir import walk

if TYPE_CHECKING:
    from dlint.ir.module import Scope, Statement


def relayed_by(scope: Scope) -> Iterator[ex.Expression]:
    """What the loops of a generator go through that yield in each round what is made of it."""
    for statement in walk.statements(scope.body) if scope.yields else ():
        loop = next(walk.enclosing_loops(statement), None)
        if loop is not None and loop.iterable is not None and _hands_on(statement, loop.iterable):
            yield loop.iterable


def _hands_on(statement: Statement, iterable: ex.Expression) -> bool:
    yielded = (
        part.value
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
        if isinstance(part, ex.Yield) and part.value is not None and not part.delegates
    )
    return any(
        isinstance(part, ex.Element) and part.iterable is iterable
        for value in yielded
        for part in parts_in_function(value)
    )
