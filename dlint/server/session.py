"""The engine, asked about what an editor has open. What did not change in between is kept.

Nothing here knows the protocol's connection: a `Scene` comes in, plain results go out. All of it
runs in one thread at a time, since which suffixes are read as what is known to the whole process.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import NamedTuple

from dlint.api.checking import namespace_of
from dlint.api.settings import Settings
from dlint.cli.baselining import install
from dlint.cli.check import applicable, configuration_of
from dlint.cli.checker import Checker, Input, notes_of, scope_of
from dlint.engine.kept.passing import Passing
from dlint.engine.request import nothing
from dlint.findings.diagnostic import Diagnostic
from dlint.reports.view import View
from dlint.server.kept_sources import KeptSources
from dlint.server.open_files import Open
from dlint.workspace import kinds
from dlint.workspace.discover import find_open
from dlint.workspace.errors import DlintCrash, UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import FILE_NAMES, Configuration
from dlint.workspace.settings import Settings as FileSettings
from dlint.workspace.source import Source, UnreadableError


class Scene(NamedTuple):
    """What an editor has open at one moment, and what it was told."""

    files: Mapping[str, Open]
    folders: tuple[Path, ...] = ()
    """The roots of its workspace."""
    settings: Settings = Settings()


class Checked(NamedTuple):
    """What is to be said of one file that is open."""

    path: str
    version: int
    found: tuple[Diagnostic, ...]
    sources: Sources
    view: View | None
    """How its project is looked at; None where it could not be checked."""
    extension: Mapping[str, str] = MappingProxyType({})
    """Which further suffixes were read as what."""

    def assign_kinds(self) -> None:
        """Have suffixes read as what they were."""
        kinds.assign(self.extension)


class Results(NamedTuple):
    """What a check came to."""

    checked: list[Checked]
    problems: list[str]
    """What could not be done, for the person at the editor."""
    notes: list[str]
    """What was left out of the files, for the log."""
    crashes: list[DlintCrash]


class Round(NamedTuple):
    """A check of some open files of one project, ready to be run."""

    paths: tuple[str, ...]
    given: Input
    checker: Checker
    sources: Sources
    view: View
    extension: Mapping[str, str]


class Session:
    """Checks open files, again and again."""

    def __init__(self) -> None:
        self._kept = KeptSources()
        self._passing = Passing()

    def check(
        self, scene: Scene, paths: Iterable[str], pause: Callable[[], None] = nothing
    ) -> Results:
        """What is to be said of some open files. `pause` may end it by raising something."""
        results = Results([], [], [], [])
        wanted = [path for path in sorted(set(paths)) if path in scene.files]
        done: dict[str, Checked] = {}
        try:
            for one in self.rounds(scene, wanted):
                one.checker.pause = pause
                done |= _checked(one, scene, results)
        except UsageError as error:
            results.problems.append(str(error))
        except Exception as error:
            crash = DlintCrash(None)
            crash.__cause__ = error
            results.crashes.append(crash)
        results.checked.extend(done.get(path) or self._unchecked(scene, path) for path in wanted)
        return results

    def rounds(self, scene: Scene, paths: Iterable[str]) -> Iterator[Round]:
        """The checks of some open files, one a project. Raises UsageError."""
        namespace = namespace_of(list(paths) or ["."], scene.settings)
        configuration = configuration_of(namespace)
        by_settings: defaultdict[FileSettings, list[str]] = defaultdict(list)
        for path in paths:
            by_settings[configuration.governing(Path(path).parent)].append(path)
        for governing, alike in by_settings.items():
            kinds.assign(_extension(governing, scene))
            yield from self._of_projects(scene, namespace, configuration, governing, alike)

    def round(self, scene: Scene, path: str) -> Round | None:
        """The check of one open file; None where it is not checked. Raises UsageError."""
        return next(self.rounds(scene, [path]), None) if path in scene.files else None

    def _of_projects(
        self,
        scene: Scene,
        namespace: argparse.Namespace,
        configuration: Configuration,
        governing: FileSettings,
        paths: list[str],
    ) -> Iterator[Round]:
        scope = scope_of(namespace)._replace(force_exclude=True)
        found = find_open(map(Path, scene.files), scene.folders, configuration, scope)
        sources = self._sources(scene.files)
        texts = {path: one.source for path, one in scene.files.items() if _is_text(one)}
        for project in found.projects:
            reported = project.reported & {p for p in paths if _is_read(scene.files[p])}
            if not reported:
                continue
            alone = project._replace(reported=reported)
            given = Input([alone], notes_of(found), overrides=texts)
            checker = Checker(namespace, configuration, given)
            checker.passing = self._passing
            if governing.baseline is not None:
                install(checker, governing.baseline)
            view = View(sources, project.root, applicable(namespace, governing))
            extension = _extension(governing, scene)
            yield Round(tuple(sorted(reported)), given, checker, sources, view, extension)

    def _sources(self, files: Mapping[str, Open]) -> Sources:
        """What is open, and what lies on disk."""
        open_now: dict[str, Source] = {}
        broken: dict[str, UnreadableError] = {}
        for path, one in files.items():
            try:
                open_now[path] = one.source
            except UnreadableError as error:
                broken[path] = error

        def of_file(path: str) -> Source:
            if path in broken:
                raise broken[path]
            return self._kept.get(path)

        return Sources(open_now, of_file)

    def _unchecked(self, scene: Scene, path: str) -> Checked:
        return Checked(path, scene.files[path].version, (), self._sources(scene.files), None)


def _extension(governing: FileSettings, scene: Scene) -> dict[str, str]:
    return dict(governing.extension) | dict(scene.settings.extension)


def _is_read(one: Open) -> bool:
    """Whether a file is of a kind that is checked; files of settings are none."""
    if PurePath(one.path).name in FILE_NAMES:
        return False
    return one.language == "python" or kinds.kind_of(one.path) is not None


def _is_text(one: Open) -> bool:
    try:
        return one.source is not None
    except UnreadableError:
        return False


def _checked(one: Round, scene: Scene, results: Results) -> dict[str, Checked]:
    """Run a check; what it says of each file. What is left out is noted."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    try:
        for diagnostic in one.checker.survey(one.sources):
            found[diagnostic.place.path].append(diagnostic)
    except DlintCrash as crash:
        results.crashes.append(crash)
    results.notes.extend([*one.given.notes, *one.checker.warnings])
    results.crashes.extend(one.checker.crashes)
    return {
        path: Checked(
            path,
            scene.files[path].version,
            tuple(found[path]),
            one.sources,
            one.view,
            one.extension,
        )
        for path in one.paths
    }
