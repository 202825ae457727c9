"""Code that nobody can run: it needs a module or a name that is not there."""

from __future__ import annotations

import builtins
import re
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.guards import is_main_guard
from dlint.ir import walk
from dlint.ir.expressions import Call, Imported, Reference
from dlint.ir.module import Bind, Define, Evaluate, If

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope, Statement

_GENERATED = re.compile(r"_?version|_version_.*|.*_pb2(?:_grpc)?|_C|_ext|.*_cuda|.*_kernel|.*_ops?")
"""Modules that a build writes."""
_PACKAGE = "/__init__.py"


class RunnableModules:
    """Which modules can be imported, as far as the project's own files say."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[str, bool] = {}

    def can_run(self, path: str) -> bool:
        """Whether nothing is known to keep the file at `path` from being imported."""
        known = self._known.get(path)
        if known is None:
            project = self._context.project
            facts = project.load(path) if project.is_loaded(path) else None
            known = facts is None or not is_broken(self._context, facts.module)
            self._known[path] = known
        return known


def is_broken(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether importing a module certainly fails, for a module of the project that is not there."""
    return any(
        isinstance(definition.value, Imported) and _is_missing(context, module, definition.value)
        for statement in module.body.body.statements
        if isinstance(statement, Define)
        for definition in statement.definitions
    )


def _is_missing(context: AnalysisContext, module: ModuleIndex, imported: Imported) -> bool:
    """Whether `from package.part import name` finds the package in the project, but no part."""
    imports = context.project.imports
    package, _, part = imported.module.rpartition(".")
    if not package or imported.name is None or imported.level or _GENERATED.fullmatch(part):
        return False
    if imports.resolve(module.path, imported.module) is not None:
        return False
    home = imports.resolve(module.path, package)
    if home is None or not home.endswith(_PACKAGE):
        return False
    folder = Path(home).parent
    return folder.is_dir() and not any(folder.glob(f"{part}*"))


def is_out_of_reach(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function is called only behind a call in its script that certainly fails."""
    function = scope
    while function.parent is not None and function.parent.kind != "module":
        function = function.parent
    dead = _behind_failure(function.module) if function.kind == "function" else set()
    if not dead:
        return False
    callers = callers_of(context, function)
    return bool(callers) and all(call.statement in dead for call in callers)


def _behind_failure(module: ModuleIndex) -> set[Statement]:
    """The statements of the main guard behind a call of a name that nobody has bound."""
    guards = (s for s in module.body.body.statements if isinstance(s, If) and is_main_guard(s.test))
    if module.star_imports or module.is_notebook:
        return set()
    return {
        inner
        for guard in guards
        for later in dropwhile(lambda s: not _fails(module, s), guard.then.statements)
        for inner in (later, *(i for block in walk.blocks(later) for i in walk.statements(block)))
    }


def _fails(module: ModuleIndex, statement: Statement) -> bool:
    """Whether a statement calls a name that is bound nowhere in its module."""
    value = statement.value if isinstance(statement, Bind | Evaluate) else None
    callee = value.function if isinstance(value, Call) else None
    return (
        isinstance(callee, Reference)
        and callee.definition is None
        and not hasattr(builtins, callee.name)
        and not any(d.name == callee.name for scope in module.scopes for d in scope.definitions)
    )
