"""Modules that nobody can run: they import what their own package does not have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.index.expressions import Imported
from dlint.index.model import Define

if TYPE_CHECKING:
    from dlint.domain.program import Program
    from dlint.index.model import ModuleIndex

_GENERATED = re.compile(r"_?version|_version_.*|.*_pb2(?:_grpc)?|_C|_ext|.*_cuda|.*_kernel|.*_ops?")
"""Modules that a build writes."""
_PACKAGE = "/__init__.py"


def is_broken(program: Program, module: ModuleIndex) -> bool:
    """Whether importing a module certainly fails, for a module of the project that is not there."""
    return any(
        isinstance(definition.value, Imported) and _is_missing(program, module, definition.value)
        for statement in module.body.body.statements
        if isinstance(statement, Define)
        for definition in statement.definitions
    )


def _is_missing(program: Program, module: ModuleIndex, imported: Imported) -> bool:
    """Whether `from package.part import name` finds the package in the project, but no part."""
    imports = program.project.imports
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
