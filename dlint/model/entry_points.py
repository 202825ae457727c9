"""Which script of a program runs the code that a finding is about."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from dlint.analyses.control.started import is_started
from dlint.findings.places import Place
from dlint.model.loops import batch_loops

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class EntryPoints:
    """The modules of a program that people start, by what they import."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context, self._project = context, context.project
        self._reach = cache(self._imports_of)
        self.run_with = cache(self._run_with)

    def script_for(self, places: Iterable[Place]) -> str | None:
        """The one script that imports, or holds, all these places; None where it is not known."""
        paths = {place.path for place in places}
        found = [script for script, reached in self._scripts.items() if paths <= reached]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _scripts(self) -> dict[str, frozenset[str]]:
        """The loaded modules that are started, and what each imports, itself included."""
        modules = [facts.module for facts in self._project.loaded]
        looping = {loop.scope for loop in self._context[batch_loops]}
        started = [m.path for m in modules if m.body in looping or is_started(m)]
        return {path: self._reach(path) for path in started}

    def _run_with(self, path: str) -> frozenset[str]:
        """The loaded files of the programs that run the one at `path`.

        Where no script is known to import it, what imports it and what these import.
        """
        started = [reached for reached in self._scripts.values() if path in reached]
        if not started:
            loaded = (self._reach(facts.module.path) for facts in self._project.loaded)
            started = [reached for reached in loaded if path in reached]
        return frozenset({path}).union(*started)

    def _imports_of(self, path: str) -> frozenset[str]:
        found, waiting = {path}, [path]
        while waiting:
            new = self._project.imported_by(waiting.pop()) - found
            found |= new
            waiting += sorted(new)
        return frozenset(p for p in found if self._project.is_loaded(p))
