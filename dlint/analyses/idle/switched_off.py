"""Code behind a test that no run of the program passes.

Question: does a place lie behind a test that comes out otherwise, or in a function that is called
from such places alone. Followed: constants of functions and modules, also from other modules,
parameters by the calls of the project, and by their defaults where every call leaves them. Asked of
programs alone (`unused`), which nobody but the project calls. Given up on, so that the answer is
no: options of a command line, settings, whatever is not known; methods that others may call.
Budget: `_DEEP` calls one inside the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.findings.places import Place
from dlint.semantics.values.choices import outcomes_in_calls

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir import expressions as ex
    from dlint.ir.module import ModuleIndex, Scope

_DEEP = 3


class SwitchedOff:
    """Which places lie behind a test that no run of the program passes."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def around(self, place: Place) -> Place | None:
        """The test that nothing passes on its way to a place; None where something may."""
        project = self._context.project
        if not project.is_loaded(place.path):
            return None
        facts = project.load(place.path)
        if facts is None or not self._context[UnusedDefinitions].is_of_program(place.path):
            return None
        scope = _innermost(facts.module, place)
        return self._closed(scope, (place.start, place.end), _DEEP)

    def _closed(self, scope: Scope, span: Span, deep: int) -> Place | None:
        """The test that closes the way to some code of a function."""
        for test, truth in tests_before(scope, span):
            frame = self._context.solver.root(scope)
            found = outcomes_in_calls(self._context.evaluator, test, frame)
            if found and all(outcome is not truth for outcome, _ in found):
                return Place(scope.module.path, *test.span)
        if scope.parent is not None and (around := self._closed(scope.parent, scope.span, deep)):
            return around
        callers = self._callers(scope) if deep else []
        closed = [self._closed(call.scope, call.span, deep - 1) for call in callers]
        return closed[0] if closed and all(closed) else None

    def _callers(self, scope: Scope) -> list[ex.Call]:
        """The calls of a plain function."""
        if scope.kind != "function" or scope.owner is not None or scope.decorators:
            return []
        return callers_of(self._context, scope)


def _innermost(module: ModuleIndex, place: Place) -> Scope:
    """The scope of a module in which a place lies."""
    around = [s for s in module.scopes if s.span[0] <= place.start and place.end <= s.span[1]]
    return min(around, key=lambda s: s.span[1] - s.span[0], default=module.body)
