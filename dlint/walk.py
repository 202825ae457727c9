"""The Python files, notebooks and configs below one directory, as far as they count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint import kinds
from dlint.roots import MARKERS
from dlint.settings import FILE_NAMES, Configuration, Settings

if TYPE_CHECKING:
    from dlint.globs import Globs
    from dlint.ignore_files import IgnoreFiles

SKIPPED = frozenset(
    {
        ".bzr",
        ".direnv",
        ".dlint_cache",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "buck-out",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Names of directories that are never walked into; naming one on the command line still works."""

_CONFIGURATION = frozenset(FILE_NAMES)
_BELOW_A_MARK = frozenset({".git"})


class Scope(NamedTuple):
    """What the command line says of the files to read; None leaves it to the configuration."""

    exclude: Globs | None = None
    respect_gitignore: bool | None = None
    force_exclude: bool | None = None

    def excludes(self, path: str, settings: Settings) -> bool:
        """Whether a pattern names this very path."""
        patterns = (self.exclude, settings.exclude)
        return any(globs is not None and globs.matches(path) for globs in patterns)

    def respects_gitignore(self, settings: Settings) -> bool:
        """Whether ignore files count under these settings."""
        own = self.respect_gitignore
        return settings.respect_gitignore if own is None else own

    def forces(self, settings: Settings) -> bool:
        """Whether `exclude` counts for paths given by name too."""
        return settings.force_exclude if self.force_exclude is None else self.force_exclude


class Walked(NamedTuple):
    """What a walk came by."""

    files: list[str]
    settings: dict[str, Settings]
    """What governs each directory that was entered."""
    nested: list[str]
    """Directories that begin another project, which were not entered."""
    unreadable: list[str]
    """Directories that could not be listed."""


class _Folder(NamedTuple):
    path: str
    settings: Settings
    ignores: IgnoreFiles


class Walker:
    """Walks the directories of one project."""

    def __init__(self, root: Path, configuration: Configuration, scope: Scope) -> None:
        self._root = str(root)
        self._configuration = configuration
        self._scope = scope
        self._suffixes = kinds.suffixes()
        is_marked = any((root / marker).exists() for marker in MARKERS)
        self._nested_marks = _BELOW_A_MARK if is_marked else MARKERS

    def walk(self, start: Path, recursive: bool = True) -> Walked:
        """Everything below `start`, which itself may be excluded or ignored."""
        walked = Walked([], {}, [], [])
        settings = self._configuration.governing(start)
        ignores: IgnoreFiles = ()
        if self._scope.respects_gitignore(settings):
            from dlint.ignore_files import above

            ignores = above(start)
        pending = [_Folder(str(start), settings, ignores)]
        while pending:
            inner = self._enter(pending.pop(), walked)
            pending += inner if recursive else ()
        return walked

    def _enter(self, folder: _Folder, walked: Walked) -> list[_Folder]:
        """Note the files of a directory; the directories in it that are to be entered."""
        entries = _listed(folder.path, walked)
        names = {entry.name for entry in entries}
        if not names or (walked.settings and "pyvenv.cfg" in names):
            return []
        if folder.path != self._root and not names.isdisjoint(self._nested_marks):
            walked.nested.append(folder.path)
            return []
        folder = self._informed(folder, names)
        walked.settings[folder.path] = folder.settings
        kept = [e for e in entries if self._is_candidate(e) and self._keeps(e, folder)]
        walked.files.extend(e.path for e in kept if not e.is_dir(follow_symlinks=False))
        return [
            _Folder(e.path, folder.settings, folder.ignores)
            for e in kept
            if e.is_dir(follow_symlinks=False)
        ]

    def _informed(self, folder: _Folder, names: set[str]) -> _Folder:
        """The folder with what its own configuration and ignore file say."""
        settings, ignores = folder.settings, folder.ignores
        if not names.isdisjoint(_CONFIGURATION):
            settings = self._configuration.governing(Path(folder.path))
        if ".gitignore" in names and self._scope.respects_gitignore(settings):
            from dlint.ignore_files import read

            ignores += read(folder.path)
        return _Folder(folder.path, settings, ignores)

    def _is_candidate(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is a file that is read or a directory that may hold some.

        Links to directories are not followed (they may lead in a circle, or to a data set), and
        links to files of the same project are passed over: those are found where they are.
        """
        if entry.is_dir(follow_symlinks=False):
            return entry.name not in SKIPPED
        if not entry.name.endswith(self._suffixes) or entry.name in _CONFIGURATION:
            return False
        if not entry.is_file():
            return False
        return not entry.is_symlink() or not self._holds(Path(entry.path).resolve())

    def _holds(self, path: Path) -> bool:
        return path.is_relative_to(Path(self._root).resolve())

    def _keeps(self, entry: os.DirEntry[str], folder: _Folder) -> bool:
        if self._scope.excludes(entry.path, folder.settings):
            return False
        if not folder.ignores:
            return True
        from dlint.ignore_files import is_ignored

        is_directory = entry.is_dir(follow_symlinks=False)
        return not is_ignored(folder.ignores, entry.path, is_directory)


def _listed(directory: str, walked: Walked) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as scan:
            return list(scan)
    except OSError:
        walked.unreadable.append(directory)
        return []


def below(walked: Walked, area: Path) -> Walked:
    """The part of a walk below a directory that it entered."""
    prefix = str(area).rstrip(os.sep) + os.sep

    def inside(paths: list[str]) -> Iterator[str]:
        return (path for path in paths if path.startswith(prefix))

    settings = {p: s for p, s in walked.settings.items() if (p + os.sep).startswith(prefix)}
    files, nested = list(inside(walked.files)), list(inside(walked.nested))
    return Walked(files, settings, nested, list(inside(walked.unreadable)))
