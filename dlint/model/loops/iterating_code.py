"""The code of one scope that may go through batches, as far as the code alone tells.

Question: which statements and calls of a scope may iterate something? Followed: loops,
comprehensions, `yield from`, `iter`, `next` and runs of engines. Given up on: what functions do
that are called. Linear in the scope.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Loop, Scope, Statement
from dlint.library_facts.engines import RUNNING

_ASKING = frozenset({"next", "__next__", "iter"}) | RUNNING


@told_by_code
def going_through(scope: Scope) -> list[Statement]:
    """The statements of a scope that go through something."""
    return [s for s in walk.statements(scope.body) if isinstance(s, Loop) or _holds_loop(s)]


def _holds_loop(statement: Statement) -> bool:
    parts = (part for e in walk.expressions(statement) for part in walk.walk(e))
    return any(isinstance(part, ex.Comprehension | ex.Yield) for part in parts)


@told_by_code
def asking_calls(scope: Scope) -> list[ex.Call]:
    """The calls of a scope that, by their names, begin an iterator, ask it or run an engine."""
    return [call for call in scope.calls if call.name in _ASKING]
