"""Which Python files and notebooks a run reads: those of the projects of the given paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, overload

from dlint.workspace.errors import UsageError
from dlint.workspace.roots import is_too_wide, project_roots
from dlint.workspace.settings import Configuration, Settings
from dlint.workspace.spelling import on_disk, spelled
from dlint.workspace.walk import SKIPPED, Scope, Walker, below

_OTHER_KINDS = frozenset({".pyc", ".so"})


class ProjectFiles(Sequence[str]):
    """The files of a project in order of path, walked when they are first looked at."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._find())))

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._paths[index]

    def __len__(self) -> int:
        return len(self._paths)


class Project(NamedTuple):
    """A project and what was asked for of it."""

    root: Path
    files: Sequence[str]
    reported: frozenset[str]
    settings: frozenset[Settings]
    """The settings that govern any of the reported files."""


class Discovery(NamedTuple):
    """The projects of a run, and what was left out of them."""

    projects: list[Project]
    forced_out: list[str]
    """Given paths that are excluded, with `--force-exclude`."""
    unreadable: list[str]
    """Directories below the given ones that could not be listed."""
    cut: list[str]
    """Directories whose ignore file, or one above, has more patterns than are read."""
    excluded: list[str]
    """Files and directories below the given ones that the settings exclude."""
    ignored: list[str]
    """Those that git ignores."""


def find_projects(paths: Iterable[str], configuration: Configuration, scope: Scope) -> Discovery:
    """The projects that the given files and directories belong to.

    Raises UsageError for a path that does not exist or is of a kind dlint does not read.
    """
    return _Finder(configuration, scope).find(_given(paths))


def find_stdin(path: Path, is_named: bool, configuration: Configuration, scope: Scope) -> Discovery:
    """The project of the file that standard input stands for; without a name it is alone."""
    if is_named:
        return _Finder(configuration, scope).find([path])
    settings = frozenset({configuration.governing(path.parent)})
    alone = Project(path.parent, (spelled(path),), frozenset({spelled(path)}), settings)
    return Discovery([alone], [], [], [], [], [])


def find_open(
    paths: Iterable[Path], around: Sequence[Path], configuration: Configuration, scope: Scope
) -> Discovery:
    """The projects of files that an editor has open, which need not be on disk.

    Each has its root for itself; without a marked one it belongs to the innermost of the folders
    `around` that holds it.
    """
    return _Finder(configuration, scope, around).find(paths)


def absolute(path: str) -> Path:
    """The path from the file system's root, without `..`; links are left as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _given(paths: Iterable[str]) -> list[Path]:
    by_given = {path: absolute(path) for path in paths}
    missing = [given for given, path in by_given.items() if not path.exists()]
    if missing:
        raise UsageError("\n".join(f"no such file or directory: {path}" for path in missing))
    other = [p for p, path in by_given.items() if path.suffix in _OTHER_KINDS and path.is_file()]
    if other:
        raise UsageError("\n".join(f"not a Python file or notebook: {path}" for path in other))
    return list(dict.fromkeys(map(on_disk, by_given.values())))


class _Asked:
    """What was given of one project: directories and single files."""

    def __init__(self) -> None:
        self.areas: list[Path] = []
        self.files: list[Path] = []


class _Finder:
    def __init__(
        self, configuration: Configuration, scope: Scope, around: Sequence[Path] | None = None
    ) -> None:
        self._configuration = configuration
        self._scope = scope
        self._around = around
        self._forced_out: list[str] = []
        self._unreadable: list[str] = []
        self._cut: list[str] = []
        self._excluded: list[str] = []
        self._ignored: list[str] = []

    def find(self, paths: Iterable[Path]) -> Discovery:
        asked = self._by_root(paths)
        projects: list[Project] = []
        while asked:
            root = min(asked)
            given = asked.pop(root)
            if given.areas:
                project, nested = self._walked(root, given)
                for folder in nested:
                    asked.setdefault(folder, _Asked()).areas.append(folder)
            else:
                project = self._named(root, given.files)
            projects.append(project)
        return Discovery(
            projects,
            self._forced_out,
            self._unreadable,
            self._cut,
            sorted(set(self._excluded)),
            sorted(set(self._ignored)),
        )

    def _by_root(self, paths: Iterable[Path]) -> dict[Path, _Asked]:
        folders = {path: path if path.is_dir() else path.parent for path in paths}
        roots = self._roots(folders.values())
        asked: dict[Path, _Asked] = {}
        for path, folder in folders.items():
            root = roots[folder]
            if self._is_forced_out(path, root, self._configuration.governing(folder)):
                self._forced_out.append(str(path))
                continue
            of_root = asked.setdefault(root, _Asked())
            (of_root.areas if path == folder else of_root.files).append(path)
        return asked

    def _roots(self, folders: Iterable[Path]) -> dict[Path, Path]:
        is_root = self._configuration.is_root
        if self._around is None:
            return project_roots(folders, is_root)
        found: dict[Path, Path] = {}
        for folder in folders:
            holding = [around for around in self._around if folder.is_relative_to(around)]
            inner = sorted(holding, key=lambda around: len(around.parts))[-1:]
            found[folder] = project_roots([folder, *inner], is_root)[folder]
        return found

    def _is_forced_out(self, path: Path, root: Path, settings: Settings) -> bool:
        if not self._scope.forces(settings):
            return False
        inner = [p for p in (path, *path.parents) if p != root and p.is_relative_to(root)]
        return any(
            self._scope.excludes(spelled(p), settings) or (p.name in SKIPPED and p.is_dir())
            for p in inner
        )

    def _named(self, root: Path, files: Sequence[Path]) -> Project:
        """A project of which only single files were given."""
        walker = Walker(root, self._configuration, self._scope)
        paths = [spelled(file) for file in files]

        def find() -> list[str]:
            return [*paths, *walker.walk(root, recursive=not is_too_wide(root)).files]

        settings = frozenset(self._configuration.governing(file.parent) for file in files)
        return Project(root, ProjectFiles(find), frozenset(paths), settings)

    def _walked(self, root: Path, asked: _Asked) -> tuple[Project, list[Path]]:
        """A project of which directories were given, and the projects that begin in those."""
        walker = Walker(root, self._configuration, self._scope)
        whole = walker.walk(root)
        parts = [
            below(whole, area) if spelled(area) in whole.settings else walker.walk(area)
            for area in asked.areas
        ]
        self._cut += [path for part in parts for path in part.cut]
        self._excluded += [path for part in parts for path in part.excluded]
        self._ignored += [path for part in parts for path in part.ignored]
        self._note_unreadable(asked.areas, [path for part in parts for path in part.unreadable])
        reported = {spelled(file) for file in asked.files}.union(*(part.files for part in parts))
        files = reported.union(whole.files)
        settings = {self._configuration.governing(file.parent) for file in asked.files}
        settings.update(*(part.settings.values() for part in parts))
        project = Project(
            root, ProjectFiles(lambda: files), frozenset(reported), frozenset(settings)
        )
        return project, [Path(path) for part in parts for path in part.nested]

    def _note_unreadable(self, areas: Sequence[Path], unreadable: Sequence[str]) -> None:
        for area in areas:
            if spelled(area) in unreadable:
                raise UsageError(f"cannot list the directory {area}")
        self._unreadable += unreadable
