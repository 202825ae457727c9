"""Which script of a program runs the code that a finding is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.started import is_code, is_started
from dlint.analyses.library_classes import library_classes
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.library_facts import frameworks, hugging_face, launchers
from dlint.model.loading.frameworks import users_of_hooks
from dlint.model.loops.batch_loops import batch_loops
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import FunctionObject

_STARTING = launchers.RUNNERS | launchers.CLIS
_RUNNERS = frozenset(path.rpartition(".")[2] for path in _STARTING)
_METHODS = hugging_face.RUNS.union(*(f.consumes for f in frameworks.FRAMEWORKS))

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
        found = self.scripts_for(places)
        return found[0] if len(found) == 1 else None

    def scripts_for(self, places: Iterable[Place]) -> list[str]:
        """All scripts that import, or hold, all these places, in the order of their paths."""
        paths = {place.path for place in places}
        return sorted(script for script, reached in self._scripts.items() if paths <= reached)

    @cached_property
    def _scripts(self) -> dict[str, frozenset[str]]:
        """The loaded modules that are started, and what each imports, itself included."""
        self._context[users_of_hooks]
        modules = [facts.module for facts in self._project.loaded]
        looping = {loop.scope for loop in self._context[batch_loops]}
        started = [m.path for m in modules if m.body in looping or self._starts(m)]
        return {path: self._reach(path) for path in started}

    def programs(self, paths: frozenset[str]) -> list[frozenset[str]]:
        """The loaded files of each program that runs all of these files.

        Where no script is known to, the files themselves and what they import.
        """
        started = [reached for reached in self._scripts.values() if paths <= reached]
        return started or [paths.union(*map(self._reach, sorted(paths)))]

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

    def _starts(self, module: ModuleIndex) -> bool:
        """Whether people run a module: it is a script by what it says, or hands over to one."""
        if is_started(module) or not is_code(module):
            return is_started(module)
        return any(map(self._runs, starting_calls(module))) or self._calls_another(module)

    def _calls_another(self, module: ModuleIndex) -> bool:
        """Whether a module that nothing imports calls a function of another one as it is run."""
        static = self._context.solver.names.static
        own = (static(call.function, call.scope) for call in evaluated_calls(module))
        if not any(isinstance(value, FunctionObject) for found in own for value in found):
            return False
        return self._project.graph.importers({module.path}) == {module.path}

    def _runs(self, call: ex.Call) -> bool:
        """Whether a call hands over to what runs the program: a trainer, or a command line."""
        context, callee = self._context, call.function
        if call.name in _RUNNERS and not _STARTING.isdisjoint(library_callees(context, call)):
            return True
        if isinstance(callee, ex.Attribute) and callee.name in _METHODS:
            paths = self._library_classes(callee.value, call.scope)
            return any(_trains(path, callee.name) for path in paths)
        if call.arguments or not isinstance(callee, ex.Reference):
            return False
        return any(path in launchers.APPS for path in self._library_classes(callee, call.scope))

    def _library_classes(self, expression: ex.Expression, scope: Scope) -> Iterator[str]:
        """The classes of libraries that an object may be of, by itself or by its base."""
        for value in self._context.values(expression, scope):
            own = attributes.project_class(value)
            if own is not None:
                yield from self._context.solver.classes.externals(own)
            yield from library_classes(self._context, value)


@told_by_code
def starting_calls(module: ModuleIndex) -> list[ex.Call]:
    """The calls of a module's body that may run a program, by their names."""
    return [call for call in module.body.calls if _may_run(call)]


def _may_run(call: ex.Call) -> bool:
    callee = call.function
    if call.name in _RUNNERS or (isinstance(callee, ex.Attribute) and callee.name in _METHODS):
        return True
    return not call.arguments and isinstance(callee, ex.Reference)


@told_by_code
def evaluated_calls(module: ModuleIndex) -> list[ex.Call]:
    """The calls that are statements at the top of a module."""
    values = (s.value for s in module.body.body.statements if isinstance(s, Evaluate))
    return [value for value in values if isinstance(value, ex.Call)]


def _trains(path: str, method: str) -> bool:
    """Whether a method of an object of a library's class trains, or evaluates."""
    is_trainer = path in hugging_face.TRAINERS and method in hugging_face.RUNS
    return is_trainer or frameworks.consumer(path, method) is not None
