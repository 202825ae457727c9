"""Loops in which somebody is debugging.

Question: does a place lie in a loop each of whose rounds stops in a debugger or a console, so that
nothing there is about speed. Followed: calls on the way of every round, by whatever name. Given up
on: what the functions stop in that a loop calls, and stops behind a test. Each loop is looked at
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.findings.places import Place
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.entry_names import DEBUGGERS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Scope

_NAMES = frozenset(path.rpartition(".")[2] for path in DEBUGGERS)


class DebuggedLoops:
    """The calls that stop every round of a loop in a debugger."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Loop, Place | None] = {}

    def around(self, place: Place) -> Place | None:
        """What stops the loop that holds a place; None where nothing does."""
        stops = (self._stop(scope, loop) for scope, loop in loops_around(self._context, place))
        return next((stop for stop in stops if stop is not None), None)

    def _stop(self, scope: Scope, loop: Loop) -> Place | None:
        if loop not in self._known:
            stop = next((c for c in scope.calls if self._stops(c, loop)), None)
            at = None if stop is None else Place(scope.module.path, *stop.span)
            self._known[loop] = at
        return self._known[loop]

    def _stops(self, call: ex.Call, loop: Loop) -> bool:
        if call.name not in _NAMES or loop not in walk.enclosing_loops(call.statement):
            return False
        if is_optional(call) or not always_runs(call.statement, loop.body):
            return False
        return not DEBUGGERS.isdisjoint(library_callees(self._context, call))


def loops_around(context: AnalysisContext, place: Place) -> Iterator[tuple[Scope, Loop]]:
    """The loops that hold a place, each with its scope; none of a module that is not loaded."""
    project = context.project
    facts = project.load(place.path) if project.is_loaded(place.path) else None
    for scope in () if facts is None else facts.module.scopes:
        yield from ((scope, loop) for loop in _loops_in(scope, place))


def _loops_in(scope: Scope, place: Place) -> Iterator[Loop]:
    if scope.span[0] <= place.start and place.end <= scope.span[1]:
        for statement in walk.statements(scope.body):
            inside = statement.span[0] <= place.start and place.end <= statement.span[1]
            if isinstance(statement, Loop) and inside:
                yield statement
