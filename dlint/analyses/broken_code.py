"""Modules that cannot be imported: they need a module of the project that is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.ir.expressions import Imported
from dlint.ir.module import Define

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex

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
