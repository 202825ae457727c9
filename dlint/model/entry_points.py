"""Which script of a program runs the code that a finding is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from dlint.analyses.guards import is_main_guard
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, ModuleIndex, Statement
from dlint.model.loops import batch_loops

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class EntryPoints:
    """The modules of a program that people start, by what they import."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context, self._project = context, context.project
        self._imported = cache(self._imports)

    def script_for(self, places: Iterable[Place]) -> str | None:
        """The one script that imports, or holds, all these places; None where it is not known."""
        paths = {place.path for place in places}
        found = [script for script, reached in self._scripts.items() if paths <= reached]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _scripts(self) -> dict[str, frozenset[str]]:
        """The loaded modules that are started, and what each imports, itself included."""
        modules = {facts.module.path: facts.module for facts in self._project.loaded}
        looping = {loop.scope for loop in self._context[batch_loops]}
        started = [m for m in modules.values() if m.body in looping or _is_started(m)]
        return {module.path: self._reach(module, modules) for module in started}

    def _reach(self, module: ModuleIndex, modules: Mapping[str, ModuleIndex]) -> frozenset[str]:
        found, waiting = {module.path}, [module]
        while waiting:
            for path in self._imported(waiting.pop()):
                if path in modules and path not in found:
                    found.add(path)
                    waiting.append(modules[path])
        return frozenset(found)

    def _imports(self, module: ModuleIndex) -> frozenset[str]:
        """The files that the imports of a module name."""
        imports = self._project.imports
        definitions = (d.value for scope in module.scopes for d in scope.definitions)
        found: set[str] = set()
        for value in (*definitions, *module.star_imports):
            if isinstance(value, ex.Imported):
                base = imports.resolve(module.path, value.module, value.level)
                if base is not None:
                    found |= {base, imports.member(base, value.name or "") or base}
        return frozenset(found)


def _is_started(module: ModuleIndex) -> bool:
    """Whether a module says what is done when it is run: under a guard, or by its functions."""
    if module.is_notebook or module.dialect is not None or module.path.endswith("__init__.py"):
        return False
    return any(
        (isinstance(s, If) and is_main_guard(s.test))
        or (isinstance(s, Evaluate) and _calls_own(s))
        or (isinstance(s, Loop) and any(map(_calls_own, walk.statements(s.body))))
        for s in module.body.body.statements
    )


def _calls_own(statement: Statement) -> bool:
    """Whether a statement calls a function that the module itself defines."""
    call = statement.value if isinstance(statement, Bind | Evaluate) else None
    callee = call.function if isinstance(call, ex.Call) else None
    if not isinstance(callee, ex.Reference) or callee.definition is None:
        return False
    return isinstance(callee.definition.value, ex.FunctionValue)
