"""Code behind a test that no run of the program passes.

Question: does a place lie behind a test that comes out otherwise, or in a function that is called
from such places alone. Followed: constants of functions and modules, also from other modules,
parameters by the calls of the project, and by their defaults where every call leaves them. Asked of
programs alone (`unused`), which nobody but the project calls. Given up on, so that the answer is
no: options of a command line, whatever is not known, and settings, of which `by_settings` asks.
Budget: that of `ways`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.analyses.idle.ways import closing
from dlint.findings.places import Place
from dlint.semantics.values.choices import Granted, outcomes_in_calls

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Scope


class SwitchedOff:
    """Which places lie behind a test that no run of the program passes."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def around(self, place: Place) -> Place | None:
        """The test that nothing passes on its way to a place; None where something may."""
        return self._search(place, lambda value: value.holds_in_calls)

    def by_settings(self, place: Place) -> Place | None:
        """The same, as long as nobody edits the one settings file that the code reads."""
        return self._search(place, lambda value: value.holds_in_calls or value.is_written)

    def _search(self, place: Place, holds: Granted) -> Place | None:
        if not self._context.project.is_loaded(place.path):
            return None
        if not self._context[UnusedDefinitions].is_of_program(place.path):
            return None
        return closing(self._context, place, partial(self._closed, holds))

    def _closed(self, holds: Granted, scope: Scope, span: Span) -> Place | None:
        """The test that closes the way to some code within a function."""
        for test, truth in tests_before(scope, span):
            frame = self._context.solver.root(scope)
            found = outcomes_in_calls(self._context.evaluator, test, frame, holds)
            if found and all(outcome is not truth for outcome, _ in found):
                return Place(scope.module.path, *test.span)
        return None
