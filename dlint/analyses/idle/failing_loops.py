"""Loops that fail before their first round is over.

Question: does the innermost loop around a place certainly raise in its first round, so that none
follows. Followed: statements that every round comes to and that fail (`control.faults`), and names
that the round itself binds alone, and only behind where it reads them; functions that the loop
calls, and that fail so. Given up on: what stands under `try` or `suppress`, or behind a test. Each
loop is looked at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dlint.analyses.control.caught import is_caught
from dlint.analyses.control.faults import bound_behind, fault, fault_inside
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.idle.debugged import loops_around
from dlint.analyses.idle.failing_code import Failure
from dlint.findings.places import Place
from dlint.ir import walk
from dlint.ir.module import Loop

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement


class FailingLoops:
    """Which loops fail in their first round."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Loop, Failure | None] = {}

    def around(self, place: Place) -> Failure | None:
        """The statement that ends the innermost loop around a place; None where none may."""
        found = list(loops_around(self._context, place))
        if not found:
            return None
        scope, loop = min(found, key=lambda one: one[1].span[1] - one[1].span[0])
        return self.of(loop, scope)

    def of(self, loop: Loop, scope: Scope) -> Failure | None:
        """The statement that ends a loop of a scope in its first round; None where none may."""
        if loop not in self._known:
            self._known[loop] = self._failure(loop, scope)
        return self._known[loop]

    def _failure(self, loop: Loop, scope: Scope) -> Failure | None:
        for statement in walk.statements(loop.body):
            because = self._because(statement, loop, scope)
            if because is not None and self._ends(statement, loop):
                return Failure(Place(scope.module.path, *statement.span), because)
        return None

    def _because(self, statement: Statement, loop: Loop, scope: Scope) -> str | None:
        found = fault(self._context, scope, statement)
        if found is not None:
            return found.because
        name = bound_behind(self._context, scope, statement, _first_rounds(loop))
        if name is not None:
            return f"`{name}` is bound only later"
        return fault_inside(self._context, statement)

    def _ends(self, statement: Statement, loop: Loop) -> bool:
        """Whether each round comes to a statement, and nothing inside the loop handles an error."""
        is_met = always_runs(statement, loop.body)
        return is_met and not is_caught(self._context, statement, within=loop)


def _first_rounds(loop: Loop) -> float:
    """Up to where nothing has been run yet that stands behind the first round of a loop."""
    for outer in walk.enclosing_loops(loop):
        if not always_runs(loop, outer.body):
            return loop.span[1]
        loop = outer
    return math.inf
