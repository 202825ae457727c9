"""Modules that are imported by a text of which a part is computed: `import_module(f"nets.{name}")`.

Question: which modules of the project may a call of `import_module` import? Followed: what is
written of the text; a part that is computed stands for letters between two dots. Given up on: texts
that do not begin with the package, and packages with more than `_MOST` modules that fit.
"""

from __future__ import annotations

import re

from dlint.ir import expressions as ex
from dlint.semantics.names.text_parts import text_parts
from dlint.semantics.project import Project

_MOST = 60
_COMPUTED = r"\w+"


def named_modules(project: Project, call: ex.Call) -> list[str]:
    """The files that a call of `import_module` may import; none where that is not known."""
    given = call.arguments
    parts = list(text_parts(given[0].value)) if len(given) == 1 and not given[0].star else []
    begin = parts[0] if parts else None
    if begin is None:
        return []
    importer = call.scope.module.path
    if len(parts) == 1:
        found = project.imports.resolve(importer, begin)
        return [found] if found in project.files else []
    folder = _folder(project, importer, begin.rpartition(".")[0])
    return [] if folder is None else _fitting(project, folder, begin, parts)


def _folder(project: Project, importer: str, package: str) -> str | None:
    """Where the modules of a package lie."""
    found = project.imports.resolve(importer, package) if package else None
    if found is None or (found.endswith(".py") and not found.endswith("/__init__.py")):
        return None
    return found.removesuffix("/__init__.py") + "/"


def _fitting(project: Project, folder: str, begin: str, parts: list[str | None]) -> list[str]:
    """The modules below a folder whose names fit a text."""
    inner = [begin.rpartition(".")[2], *parts[1:]]
    wanted = re.compile("".join(_COMPUTED if p is None else re.escape(p) for p in inner))
    found = [path for path in sorted(project.files) if path.startswith(folder)]
    fitting = [path for path in found if wanted.fullmatch(_dotted(path.removeprefix(folder)))]
    return fitting if len(fitting) <= _MOST else []


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
