"""What a `dlint check` reads, and the findings that it shows of that."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from dlint import rule_docs
from dlint.engine.request import Request
from dlint.engine.selection import Layer, Selection, rules_of, select
from dlint.engine.suppress import suppress
from dlint.findings.controls import in_one_line
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.workspace.discover import (
    Discovery,
    Project,
    absolute,
    find_projects,
    find_stdin,
    is_test,
)
from dlint.workspace.errors import DlintCrash, UsageError
from dlint.workspace.globs import Globs
from dlint.workspace.reading import Sources, decode
from dlint.workspace.settings import Configuration, Settings
from dlint.workspace.source import Source, UnreadableError
from dlint.workspace.walk import Scope

_CACHE = ".dlint_cache"


class Input(NamedTuple):
    """The projects of a run, and the text that stands for a file."""

    projects: Sequence[Project]
    notes: Sequence[str]
    """What was left out, and why."""
    overrides: Mapping[str, Source] = MappingProxyType({})


def read_input(namespace: argparse.Namespace, configuration: Configuration) -> Input:
    """Find what the paths name. Raises UsageError also when there is no file to check at all."""
    exclude = namespace.exclude
    globs = Globs(exclude, str(Path.cwd())) if exclude else None
    scope = Scope(globs, namespace.respect_gitignore, namespace.force_exclude)
    paths: list[str] = namespace.paths
    if "-" in paths:
        if len(paths) > 1:
            raise UsageError("standard input (`-`) cannot be checked together with other paths")
        return _read_stdin(namespace.stdin_filename, configuration, scope)
    if namespace.stdin_filename is not None:
        raise UsageError("`--stdin-filename` needs the path `-`")
    found = find_projects(paths, configuration, scope)
    if not any(project.reported for project in found.projects) and not found.forced_out:
        raise UsageError(f"No Python files or notebooks found under {', '.join(paths)}")
    return Input(found.projects, _notes(found))


def _read_stdin(name: str | None, configuration: Configuration, scope: Scope) -> Input:
    path = absolute(name or "-")
    try:
        source = decode(str(path), sys.stdin.buffer.read())
    except UnreadableError as error:
        raise UsageError(str(error)) from error
    found = find_stdin(path, name is not None, configuration, scope)
    return Input(found.projects, _notes(found), {str(path): source})


def _notes(found: Discovery) -> list[str]:
    notes = [
        *(f"warning: {problem}" for problem in rule_docs.catalogue().problems),
        *(f"{path} is excluded" for path in found.forced_out),
        *(f"warning: cannot list the directory {path}" for path in found.unreadable),
        *(f"warning: {path}/.gitignore: its last patterns are not read" for path in found.cut),
    ]
    return list(map(in_one_line, notes))


class Checker:
    """Analyses the projects of a run; each file under the settings that govern it."""

    def __init__(
        self, namespace: argparse.Namespace, configuration: Configuration, given: Input
    ) -> None:
        self.notes: list[str] = []
        """What the last analysis read and what it cut short."""
        self.warnings: list[str] = []
        """What the last analysis left out of the files it was to check."""
        self.crashes: list[DlintCrash] = []
        """Rules of dlint that failed in the last survey."""
        self._failed: set[str] = set()
        """Rules of other packages that did."""
        self._namespace = namespace
        self._configuration = configuration
        self._given = given
        self._selections: dict[Settings, Selection] = {}
        self._own = Layer(
            namespace.select,
            namespace.extend_select or (),
            namespace.ignore or (),
            preview=namespace.preview,
        )
        for project in given.projects:
            for settings in project.settings:
                self._check_names(settings)

    def analyse(self, sources: Sources) -> list[Diagnostic]:
        """The findings to show in the given texts, in order of file and place.

        Raises DlintCrash.
        """
        found = self.survey(sources)
        for crash in self.crashes:
            raise crash
        return found

    def survey(self, sources: Sources) -> list[Diagnostic]:
        """As `analyse`, but a rule that crashes is noted in `crashes`, and the others go on."""
        self.notes, self.warnings, self.crashes = [], [], []
        self._failed = set[str]()
        projects = (project for project in self._given.projects if project.reported)
        found = [d for project in projects for d in self._analyse(project, sources)]
        return sorted(found, key=lambda d: (d.place, d.code, d.message))

    def _analyse(self, project: Project, sources: Sources) -> list[Diagnostic]:
        from dlint.engine.analyse import analyse

        selections = [self._selection(settings) for settings in project.settings]
        request = Request(
            root=project.root,
            files=project.files,
            reported=project.reported,
            rules=frozenset().union(*(selection.rules for selection in selections)),
            overrides=self._given.overrides,
            cache_dir=self._cache_dir(project),
        )
        outcome = analyse(request, sources)
        self.notes.append(f"{project.root}: files checked: {len(project.reported)}")
        self.notes += [f"settings from {s.path}" for s in project.settings if s.path is not None]
        self.notes += outcome.notes
        self.warnings += [f"warning: {text}" for text in outcome.warnings]
        self.crashes += outcome.crashes
        self._failed |= outcome.failed
        kept = suppress(
            outcome.diagnostics, project.reported - outcome.silent, self._rules_on, sources
        )
        return [d for d in kept if self._shows(d, project.root)]

    def _rules_on(self, path: str) -> frozenset[str]:
        crashed = {crash.rule for crash in self.crashes}
        return self._selection(self._settings(path)).rules - crashed - self._failed

    def _shows(self, diagnostic: Diagnostic, root: Path) -> bool:
        path = diagnostic.place.path
        settings = self._settings(path)
        if not self._selection(settings).shows(diagnostic):
            return False
        if diagnostic.severity is not Severity.ERROR and is_test(path[len(str(root)) :]):
            return False
        return not any(
            diagnostic.name in rules_of(names, str(settings.path))
            for globs, names in settings.per_file_ignores
            if settings.path is not None and globs.cover(path, str(settings.path.parent))
        )

    def _settings(self, path: str) -> Settings:
        return self._configuration.governing(Path(path).parent)

    def _selection(self, settings: Settings) -> Selection:
        found = self._selections.get(settings)
        if found is None:
            found = self._selections[settings] = select([_layer(settings), self._own])
        return found

    def _check_names(self, settings: Settings) -> None:
        """Raise UsageError for a name that no rule has, whatever the findings will be."""
        self._selection(settings)
        for _, names in settings.per_file_ignores:
            rules_of(names, str(settings.path))

    def _cache_dir(self, project: Project) -> Path | None:
        asked: str | None = self._namespace.cache_dir
        if self._namespace.no_cache:
            return None
        if asked is not None:
            return Path.cwd() / asked
        set_dirs = (settings.cache_dir for settings in project.settings)
        return next((path for path in set_dirs if path is not None), project.root / _CACHE)


def _layer(settings: Settings) -> Layer:
    origin = str(settings.path)
    return Layer(settings.select, settings.extend_select, settings.ignore, origin, settings.preview)
