"""Packages of a project that some file still imports by another name.

Question: does a file import modules of a package that is not there, where another package of the
project has every one of them, with all that is taken of them: then it was renamed, and the import
fails. Followed: two modules or more inside of parts of the package (`gone.utils.files`). Given up
on: names that any text or packaging file around speaks of, which may be installed, or that code
imports as they are or puts into `sys.modules`; and packages that are found anywhere so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlint.analyses.idle.failing_imports import TopImport
    from dlint.semantics.project import Project

_LEAST = 2
"""Modules that must be found in the other package: one may be there by chance."""


def renamed_package(
    project: Project,
    path: str,
    imported: Iterable[TopImport],
    has_all: Callable[[str, tuple[str, ...]], bool],
    is_spoken_of: Callable[[str], bool],
) -> tuple[str, str] | None:
    """The name of a package that is not there, and the folder of that which has its modules.

    They are imported by a file outside of it. `has_all` says whether a file may hold some names,
    `is_spoken_of` whether a text has a word.
    """
    by_root: dict[str, list[TopImport]] = {}
    for one in imported:
        if not one.level:
            by_root.setdefault(one.module.partition(".")[0], []).append(one)
    for root, wanted in by_root.items():
        folder = None if _may_be_there(project, root) else _other(project, root, wanted, has_all)
        if folder is None or path.startswith(f"{folder}/"):
            continue  # the folder of a whole project may have any name
        if not is_spoken_of(root) and not _is_had(project, root):
            return root, folder
    return None


def _may_be_there(project: Project, root: str) -> bool:
    return root in sys.stdlib_module_names or bool(project.imports.homes(root))


def _other(
    project: Project,
    root: str,
    wanted: list[TopImport],
    has_all: Callable[[str, tuple[str, ...]], bool],
) -> str | None:
    """The package that has all modules which are wanted of one of another name."""
    modules = {one.module.removeprefix(f"{root}.") for one in wanted}
    if len(modules) < _LEAST or not all("." in module for module in modules):
        return None
    homes = {m: dict(project.imports.homes(m)) for m in modules}
    for folder in sorted(set.intersection(*(set(found) for found in homes.values()))):
        held = (
            has_all(homes[one.module.removeprefix(f"{root}.")][folder], one.names) for one in wanted
        )
        if f"{folder}/__init__.py" in project.files and all(held):
            return folder
    return None


def _is_had(project: Project, root: str) -> bool:
    """Whether code has a package itself: by `import gone`, or as it puts it into `sys.modules`."""
    name = re.escape(root.encode())
    had = rb"^[ \t]*(?:from|import)[ \t]+%s(?![\w.])|\bmodules\s*\[\s*[\"']%s[\"'.]" % (name, name)
    written = re.compile(had, re.M)
    return any(project.says(path, written) for path in sorted(project.words.holders(root.encode())))
