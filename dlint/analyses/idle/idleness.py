"""Why the code at a place does not run, and what a finding there is worth.

Question: does a finding rest on code that nothing in the project runs. A finding in such code, or
all of whose other places lie in such code, is told as information, with the reason. Given up on:
what the modules beside this one give up on. Each file is asked once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.analyses.idle.debugged import DebuggedLoops
from dlint.analyses.idle.failing_code import FailingCode
from dlint.analyses.idle.failing_imports import FailingImports, TopImport
from dlint.analyses.idle.failing_loops import FailingLoops
from dlint.analyses.idle.set_aside import SetAside
from dlint.analyses.idle.switched_off import SwitchedOff
from dlint.analyses.idle.uncalled import UncalledInNotebooks
from dlint.analyses.idle.unreached import UnreachedParts
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.analyses.idle.unused_inner import UnusedInner
from dlint.analyses.idle.unused_methods import UnusedMethods
from dlint.analyses.idle.vendored import VendoredCode
from dlint.findings.diagnostic import Diagnostic, Related, Severity
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Define

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

_UNUSED = "nothing in the project uses `{}`, so this does not run"
_UNCALLED = "no cell that is run uses `{}`, so this does not run"
_REPLACED = "a later cell binds `{}` anew before any uses it, so this does not run"
_SET_ASIDE = "this file is set aside: {}, and no other code imports it"
_SWITCHED_OFF = "this test comes out otherwise in all that the project runs, so this does not run"
_FAILS = "{}, so what stands behind this does not run"
_UNREACHED = "`{}` lies in a folder that is not on the path of this script, so it does not run"

_DEBUGGED = "each round of this loop stops in a debugger here, so nobody waits for it to be fast"
_BROKEN = "{}, so this loop fails in its first round"
_APART = "no program of the project comes to this part of `{}`"
_COPIED = "`{}` is a copy of another repository: {}"


class IdleCode:
    """Which places lie in code that does not run, and why."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def reason(self, place: Place) -> Related | None:
        """Why the code at a place does not run, with where one sees that; None where it may."""
        scope = self._unused(place)
        if scope is not None:
            start = scope.span[0]
            return Related(Place(place.path, start, start), _UNUSED.format(scope.name))
        cells = self._context[UncalledInNotebooks]
        scope = cells.around(place)
        if scope is not None:
            start = scope.span[0]
            said = _REPLACED if cells.is_replaced(scope) else _UNCALLED
            return Related(Place(place.path, start, start), said.format(scope.name))
        copy = self._context[VendoredCode].around(place.path)
        if copy is not None:
            return Related(
                Place(place.path, 0, 0), _COPIED.format(Path(copy.folder).name, copy.because)
            )
        closed = self._context[SwitchedOff].around(place)
        if closed is not None:
            return Related(closed, _SWITCHED_OFF)
        failure = self._context[FailingCode].before(place)
        if failure is not None:
            return Related(failure.place, _FAILS.format(failure.because))
        imported = self._context[FailingImports].out_of_reach(place.path)
        if imported is not None:
            said = _UNREACHED.format(imported.module)
            return Related(self._place_of(place.path, imported), said)
        aside = self._context[SetAside].reason(place.path)
        if aside is not None:
            return Related(Place(place.path, 0, 0), _SET_ASIDE.format(aside))
        package = self._context[UnreachedParts].package_of(place.path)
        if package is None:
            return None
        return Related(Place(place.path, 0, 0), _APART.format(Path(package).name))

    def is_told(self, diagnostic: Diagnostic) -> bool:
        """Whether a finding is worth telling: none behind what certainly fails is, nor information
        of what a program certainly does not run.

        What a folder or text sets aside, copies of others, and files that no script would find may
        still be run by hand: readers agreed with most of what was told of them.
        """
        if self._rests_on(diagnostic, self._context[FailingCode].before):
            return False
        is_info = diagnostic.severity is Severity.INFO
        return not (is_info and self._rests_on(diagnostic, self.certain))

    def certain(self, place: Place) -> object | None:
        """What makes it certain that no run of a program comes to a place; None where one may."""
        cells = self._context[UncalledInNotebooks]
        if cells.magics(place.path) is not None:
            return cells.around(place) or self._unused(place)
        if (inner := self._context[UnusedInner].around(place)) is not None:
            return inner
        found = self._unused(place) or self._context[SwitchedOff].by_settings(place)
        is_run = self._context[UnusedDefinitions].is_of_run_program
        return found if found is not None and is_run(place.path) else None

    def _unused(self, place: Place) -> Scope | None:
        """The definition around a place that nothing uses."""
        found = self._context[UnusedInner].around(place)
        found = found or self._context[UnusedDefinitions].around(place)
        return found or self._context[UnusedMethods].around(place)

    def _rests_on(self, diagnostic: Diagnostic, asked: Callable[[Place], object | None]) -> bool:
        """Whether something is so of a finding's place, or of all other places that it names."""
        if asked(diagnostic.place) is not None:
            return True
        others = [related.place for related in diagnostic.related]
        return bool(others) and all(asked(place) is not None for place in others)

    def weighed(self, diagnostic: Diagnostic, *, is_about_speed: bool = False) -> Diagnostic:
        """A finding, told as information where it rests on code that does not run.

        What is no error also where the loop that it is about fails in its first round, and what is
        about speed where somebody is debugging it.
        """
        if diagnostic.severity is Severity.INFO:
            return diagnostic
        is_error = diagnostic.severity is Severity.ERROR
        asked = self.reason if is_error else partial(self._of_loop, is_about_speed)
        reason = asked(diagnostic.place)
        if reason is None:
            others = [asked(related.place) for related in diagnostic.related]
            reason = others[0] if others and all(others) else None
        if reason is None:
            return diagnostic
        related = (*diagnostic.related, reason)
        return diagnostic._replace(severity=Severity.INFO, related=related)

    def _of_loop(self, is_about_speed: bool, place: Place) -> Related | None:
        """Why nobody has the use of what would help code at a place, or the loop around it."""
        stop = self._context[DebuggedLoops].around(place) if is_about_speed else None
        if stop is not None:
            return Related(stop, _DEBUGGED)
        reason = self.reason(place)
        failure = self._context[FailingLoops].around(place) if reason is None else None
        if failure is None:
            return reason
        return Related(failure.place, _BROKEN.format(failure.because))

    def _place_of(self, path: str, imported: TopImport) -> Place:
        """Where an import stands; the beginning of the file where that is not known."""
        facts = self._context.project.load(path)
        statements = [] if facts is None else facts.module.body.body.statements
        for statement in statements:
            if isinstance(statement, Define) and any(
                isinstance(d.value, ex.Imported) and d.value.module == imported.module
                for d in statement.definitions
            ):
                return Place(path, *statement.span)
        return Place(path, 0, 0)
