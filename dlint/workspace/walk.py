"""The Python files, notebooks and configs below one directory, as far as they count."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.workspace import kinds
from dlint.workspace.roots import MARKERS, is_marked
from dlint.workspace.settings import FILE_NAMES, Configuration, Settings
from dlint.workspace.spelling import prefix, spelled

if TYPE_CHECKING:
    from dlint.workspace.globs import Globs
    from dlint.workspace.ignore_files import IgnoreFiles
    from dlint.workspace.tracked import Tracked

CACHE = ".dlint_cache"
"""Where a project's indexes are kept, unless its settings or a flag say otherwise."""
SKIPPED = frozenset(
    {
        ".bzr",
        ".direnv",
        CACHE,
        ".eggs",
        ".git",
        ".hg",
        ".history",
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
        own = self.exclude
        return (own is not None and own.matches(path)) or is_excluded(path, settings)

    def respects_gitignore(self, settings: Settings) -> bool:
        """Whether ignore files count under these settings."""
        own = self.respect_gitignore
        return settings.respect_gitignore if own is None else own

    def forces(self, settings: Settings) -> bool:
        """Whether `exclude` counts for paths given by name too."""
        return settings.force_exclude if self.force_exclude is None else self.force_exclude


def is_excluded(path: str, settings: Settings) -> bool:
    """Whether a pattern of the settings names this very path."""
    return settings.exclude is not None and settings.exclude.matches(path)


class Walked(NamedTuple):
    """What a walk came by."""

    files: list[str]
    settings: dict[str, Settings]
    """What governs each directory that was entered."""
    nested: list[str]
    """Directories that begin another project, which were not entered."""
    unreadable: list[str]
    """Directories that could not be listed."""
    cut: list[str]
    """Ignore files with more patterns than are read."""
    excluded: list[str]
    """What the settings exclude."""
    ignored: list[str]
    """What git ignores."""


class _Folder(NamedTuple):
    path: str
    settings: Settings
    ignores: IgnoreFiles
    is_ignored: bool = False
    """Whether git leaves it out, but for files in it that it tracks."""


class Walker:
    """Walks the directories of one project."""

    def __init__(self, root: Path, configuration: Configuration, scope: Scope) -> None:
        self._root = spelled(root)
        self._configuration = configuration
        self._scope = scope
        self._suffixes = kinds.suffixes()
        self._tracked: Tracked | None = None
        self._nested_marks = _BELOW_A_MARK if is_marked(root) else MARKERS

    def walk(self, start: Path, recursive: bool = True) -> Walked:
        """Everything below `start`, which itself may be excluded or ignored."""
        walked = Walked([], {}, [], [], [], [], [])
        settings = self._configuration.governing(start)
        ignores: IgnoreFiles = ()
        if self._scope.respects_gitignore(settings):
            from dlint.workspace.ignore_files import above

            ignores = above(start)
        pending = [_Folder(spelled(start), settings, ignores)]
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
        if folder.path != self._root and self._begins_project(folder.path, names):
            walked.nested.append(folder.path)
            return []
        folder = self._informed(folder, names)
        if any(file.is_cut for file in folder.ignores) and ".gitignore" in names:
            walked.cut.append(folder.path)
        walked.settings[folder.path] = folder.settings
        inner: list[_Folder] = []
        leaves_out = self._leaving_out(folder, walked)
        for entry in entries:
            path = spelled(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED and not leaves_out(path, True):
                    is_ignored = _is_ignored(folder, path, is_directory=True)
                    inner.append(_Folder(path, folder.settings, folder.ignores, is_ignored))
            elif self._is_candidate(entry) and not leaves_out(path, False):
                walked.files.append(path)
        return inner

    def _begins_project(self, path: str, names: set[str]) -> bool:
        if not names.isdisjoint(self._nested_marks):
            return True
        is_configured = not names.isdisjoint(_CONFIGURATION)
        return is_configured and self._configuration.is_root(Path(path))

    def _informed(self, folder: _Folder, names: set[str]) -> _Folder:
        """The folder with what its own configuration and ignore file say."""
        settings, ignores = folder.settings, folder.ignores
        if not names.isdisjoint(_CONFIGURATION):
            settings = self._configuration.governing(Path(folder.path))
        if ".gitignore" in names and self._scope.respects_gitignore(settings):
            from dlint.workspace.ignore_files import read

            ignores += read(folder.path)
        return _Folder(folder.path, settings, ignores, folder.is_ignored)

    def _is_candidate(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry that is no directory is a file that is read.

        Links to directories are not followed (they may lead in a circle, or to a data set), and
        links to files of the same project are passed over: those are found where they are. Nor is
        what macOS notes of a file beside it on other disks, under its name behind `._`.
        """
        if not entry.name.endswith(self._suffixes) or entry.name in _CONFIGURATION:
            return False
        if entry.name.startswith("._"):
            return False
        if not entry.is_file():
            return False
        return not entry.is_symlink() or not self._holds(Path(entry.path).resolve())

    def _holds(self, path: Path) -> bool:
        return path.is_relative_to(Path(self._root).resolve())

    def _leaving_out(self, folder: _Folder, walked: Walked) -> Callable[[str, bool], bool]:
        """Tells whether a path of a folder, which may be a directory, is excluded or ignored.

        What the project leaves out is noted.
        """
        excludes, settings = self._scope.excludes, folder.settings

        def is_out(path: str, is_directory: bool) -> bool:
            if excludes(path, settings):
                if is_excluded(path, settings):
                    walked.excluded.append(path)
                return True
            if not _is_ignored(folder, path, is_directory) or self._tracks(path, is_directory):
                return False
            walked.ignored.append(path)
            return True

        return is_out

    def _tracks(self, path: str, is_directory: bool) -> bool:
        """Whether git tracks what an ignore file names."""
        if self._tracked is None:
            from dlint.workspace.tracked import Tracked

            self._tracked = Tracked(Path(self._root))
        return self._tracked.holds(path, is_directory)


def _is_ignored(folder: _Folder, path: str, is_directory: bool) -> bool:
    """Whether an ignore file names a path of a folder, or the folder itself."""
    if folder.is_ignored or not folder.ignores:
        return folder.is_ignored
    from dlint.workspace.ignore_files import is_ignored

    return is_ignored(folder.ignores, path, is_directory)


def _listed(directory: str, walked: Walked) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as scan:
            return list(scan)
    except OSError:
        walked.unreadable.append(directory)
        return []


def below(walked: Walked, area: Path) -> Walked:
    """The part of a walk below a directory that it entered."""
    above = prefix(area)

    def inside(paths: list[str]) -> Iterator[str]:
        return (path for path in paths if path.startswith(above))

    settings = {p: s for p, s in walked.settings.items() if f"{p}/".startswith(above)}
    files, nested = list(inside(walked.files)), list(inside(walked.nested))
    unreadable, cut = list(inside(walked.unreadable)), list(inside(walked.cut))
    excluded, ignored = list(inside(walked.excluded)), list(inside(walked.ignored))
    return Walked(files, settings, nested, unreadable, cut, excluded, ignored)
