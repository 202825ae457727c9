"""Which file an import names, among the files of one project.

Question: which file (or folder of a namespace package) does `import a.b` in this file mean? See
`ImportMap` for the rules; the nearest of several candidates wins. Each import is resolved once.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from dlint.library_facts.installed import INSTALLED, PUBLISHED

_SOURCES = frozenset({"lib", "python", "src"})
"""Folders from which the package of a project is installed: it is there for the whole project."""


class _Base(NamedTuple):
    """A file or folder that an import may mean; the least is meant."""

    is_odd: bool
    distance: tuple[int, int]
    is_folder: bool
    path: str
    root: str


@dataclass(slots=True)
class ImportMap:
    """Finds modules by the rules of Python's import system, without its `sys.path`.

    A folder counts as an entry of the path when it is no package itself or holds the importing
    file somewhere below it; the nearest such folder wins. This covers scripts beside their helpers,
    `src/` layouts, namespace packages and nested example projects. In the package `utils`, `utils`
    is that package, and not the module of that name in it. What another project of the repository
    calls as a library or a module of Python is not meant; nor is any of what several folders beside
    the importing file's own call alike.
    """

    files: frozenset[str]
    changes_path: Callable[[str], bool] = field(default=lambda importer: False)
    """Whether a file puts folders of its own on `sys.path`: then even a package may be one."""
    _by_name: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _folders: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[str, str, int], str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[str], changes_path: Callable[[str], bool]) -> ImportMap:
        """The map of absolute paths of Python files."""
        found = cls(frozenset(files), changes_path)
        folders: set[str] = set()
        for path in sorted(found.files):
            parts = path.split("/")
            if parts[-1] == "__init__.py":
                found._by_name[parts[-2]].append(path)
            else:
                found._by_name[parts[-1].removesuffix(".py")].append(path)
            folders.add(path.rpartition("/")[0])
        for folder in sorted(folders):
            found._folders[PurePath(folder).name].append(folder)
        return found

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The file (or the folder of a namespace package) that `module` names, else None.

        `importer` is the importing file; `level` counts the leading dots of a relative import.
        """
        key = (importer, module, level)
        if key not in self._known:
            find = self._relative if level else self._absolute
            self._known[key] = find(importer, module, level)
        return self._known[key]

    def member(self, package: str, name: str) -> str | None:
        """The submodule `name` of the package whose `__init__.py` or folder is `package`."""
        return self._at(f"{package.removesuffix('/__init__.py')}/{name}")

    def _at(self, base: str) -> str | None:
        for path in (f"{base}/__init__.py", f"{base}.py"):
            if path in self.files:
                return path
        return base if base in self._folders.get(PurePath(base).name, ()) else None

    def _relative(self, importer: str, module: str, level: int) -> str | None:
        folder = importer
        for _ in range(level):
            folder = folder.rpartition("/")[0]
        return self._at("/".join([folder, *module.split(".")]) if module else folder)

    def homes(self, module: str) -> list[tuple[str, str]]:
        """Every file or folder that `module` may name, with the folder that would be on the path.

        Whether that folder can be there is not asked.
        """
        parts = module.split(".")
        suffix = "/" + "/".join(parts)
        found = [*self._by_name.get(parts[-1], ()), *self._folders.get(parts[-1], ())]
        bases = ((path, path.removesuffix("/__init__.py").removesuffix(".py")) for path in found)
        return [(base.removesuffix(suffix), path) for path, base in bases if base.endswith(suffix)]

    def _absolute(self, importer: str, module: str, level: int) -> str | None:
        del level
        bases: list[_Base] = []
        for root, path in self.homes(module):
            if self._is_shadowed(root, module) or self._is_copy(importer, root, module):
                continue
            is_package = f"{root}/__init__.py" in self.files
            odd = is_package and not importer.startswith(root + "/")
            if path != importer and (not odd or self.changes_path(importer)):
                distance = self._distance(importer, root)
                last = odd or (is_package and PurePath(root).name == module.partition(".")[0])
                bases.append(_Base(last, distance, path not in self.files, path, root))
        return _nearest(importer, bases)

    def _is_shadowed(self, root: str, module: str) -> bool:
        """Whether a library is meant, as what has its name here is a folder but no package."""
        top = module.partition(".")[0]
        of_top = (f"{root}/{top}.py", f"{root}/{top}/__init__.py")
        return top in INSTALLED and self.files.isdisjoint(of_top)

    def _is_copy(self, importer: str, root: str, module: str) -> bool:
        """Whether a library is meant, as what has its name here belongs to another project.

        What a file puts on the path itself comes behind the modules of Python.
        """
        top = module.partition(".")[0]
        is_python = top in sys.stdlib_module_names
        if not is_python and (top not in PUBLISHED or self.changes_path(importer)):
            return False
        return not _is_within(importer, root)

    @staticmethod
    def _distance(importer: str, root: str) -> tuple[int, int]:
        """How far an entry of the path is: shared folders count most, then its depth."""
        return -shared_parts(importer, root), root.count("/")


def _nearest(importer: str, bases: Sequence[_Base]) -> str | None:
    """The path of the nearest; None where several folders beside the importer hold one.

    None of them is on the path of its own accord: which one was put there nobody knows.
    """
    if not bases:
        return None
    found = min(bases)
    if _is_within(importer, found.root):
        return found.path
    alike = [b for b in bases if b[0] == found[0] and b.distance[0] == found.distance[0]]
    beside = {base.root.split("/")[-found.distance[0]] for base in alike}
    return found.path if len(beside) == 1 else None


def _is_within(importer: str, root: str) -> bool:
    """Whether a file belongs to the project of which a folder holds the packages."""
    above, _, last = root.rpartition("/")
    return importer.startswith((above if last in _SOURCES else root) + "/")


def shared_parts(one: str, other: str) -> int:
    """How many parts two paths have in common at their beginning."""
    count = 0
    for ours, theirs in zip(one.split("/"), other.split("/"), strict=False):
        if ours != theirs:
            break
        count += 1
    return count
