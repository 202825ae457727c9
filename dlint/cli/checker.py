"""What a `dlint check` reads, and the findings that it shows of that."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from dlint import rule_docs
from dlint.engine.policy import Policy
from dlint.engine.request import Outcome, Progress, Request, nothing
from dlint.engine.selection import Layer
from dlint.engine.suppress import parted
from dlint.findings.controls import in_one_line
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.reports.hidden import COMMENTS, PER_FILE, SEVERITY, Hidden
from dlint.workspace.cache_folder import user_cache
from dlint.workspace.discover import (
    Discovery,
    Project,
    absolute,
    find_projects,
    find_stdin,
)
from dlint.workspace.errors import DlintCrash, UsageError
from dlint.workspace.reading import Sources, decode
from dlint.workspace.settings import Configuration
from dlint.workspace.source import Source, UnreadableError
from dlint.workspace.spelling import spelled
from dlint.workspace.state import own_key
from dlint.workspace.test_files import is_test_of
from dlint.workspace.walk import CACHE, Scope

if TYPE_CHECKING:
    from dlint.engine.kept.passing import Passing
    from dlint.workspace.globs import Globs

Filter = tuple[str, Callable[[list[Diagnostic], Sources], list[Diagnostic]]]
"""Why findings are not shown, and which of them are, in the order that they came in."""


class Input(NamedTuple):
    """The projects of a run, and the text that stands for a file."""

    projects: Sequence[Project]
    notes: Sequence[str]
    """What was left out, and why."""
    excluded: Sequence[str] = ()
    """Files and folders that the settings leave out."""
    details: Sequence[str] = ()
    """What else is told with `-v`."""
    overrides: Mapping[str, Source] = MappingProxyType({})

    def without(self, path: str) -> Input:
        """The same, where nothing is to be said of one file."""
        projects = [p._replace(reported=p.reported - {path}) for p in self.projects]
        return self._replace(projects=projects)


def read_input(namespace: argparse.Namespace, configuration: Configuration) -> Input:
    """Find what the paths name. Raises UsageError also when there is no file to check at all."""
    scope = scope_of(namespace)
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
    details = [f"{path}: excluded by the settings" for path in found.excluded]
    details += [f"{path}: ignored by git" for path in found.ignored]
    return Input(found.projects, notes_of(found), found.excluded, details)


def scope_of(namespace: argparse.Namespace) -> Scope:
    """What the command line says of the files to read."""
    return Scope(_globs(namespace.exclude), namespace.respect_gitignore, namespace.force_exclude)


def _globs(exclude: Sequence[str] | None) -> Globs | None:
    if not exclude:
        return None
    from dlint.workspace.globs import Globs

    return Globs(exclude, str(Path.cwd()))


def _read_stdin(name: str | None, configuration: Configuration, scope: Scope) -> Input:
    path = absolute(name or "-")
    try:
        source = decode(spelled(path), sys.stdin.buffer.read())
    except UnreadableError as error:
        raise UsageError(str(error)) from error
    found = find_stdin(path, name is not None, configuration, scope)
    return Input(found.projects, notes_of(found), overrides={spelled(path): source})


def notes_of(found: Discovery) -> list[str]:
    """What is said of what was left out."""
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
        self,
        namespace: argparse.Namespace,
        configuration: Configuration,
        given: Input,
        *,
        as_found: bool = False,
    ) -> None:
        """With `as_found`, findings have the severity and the fix that dlint gives them."""
        self.notes: list[str] = []
        """What the last analysis read and what it cut short."""
        self.warnings: list[str] = []
        """What the last analysis left out of the files it was to check."""
        self.crashes: list[DlintCrash] = []
        """Rules of dlint that failed in the last survey."""
        self._failed: set[str] = set()
        """Rules of other packages that did."""
        self.hidden = Hidden()
        """What the last survey found and does not show."""
        self.unfiltered: list[Diagnostic] = []
        """What the last survey found where nothing suppresses it, shown or not."""
        self.filters: list[Filter] = []
        """What is asked in turn which findings to show."""
        self.pause: Callable[[], None] = nothing
        """Called now and then in an analysis, which it ends by raising something."""
        self.passing: Passing | None = None
        """Where answers about texts that stand for files are kept while this process lives."""
        self.is_last = False
        """Whether the process ends with the next survey."""
        self.jobs = 1
        """How many processes may analyse programs beside each other."""
        self.followed: Callable[[], AbstractContextManager[Progress | None]] = nullcontext
        """Shows how far an analysis is, while it runs."""
        self._namespace = namespace
        self._given = given
        own = Layer(
            namespace.select,
            namespace.extend_select or (),
            namespace.ignore or (),
            preview=namespace.preview,
        )
        self.policy = Policy(configuration, own)
        """What holds for each file."""
        self._as_found = as_found
        self._sources = Sources()
        self.policy.check([configuration.own])
        for project in given.projects:
            self.policy.check(project.settings)

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
        self.notes, self.warnings, self.crashes, self.unfiltered = [], [], [], []
        self._sources = sources
        self.notes += self._given.details
        self._failed = set[str]()
        self.hidden = Hidden(self._given.excluded)
        projects = [project for project in self._given.projects if project.reported]
        with self.followed() as progress:
            found = [d for p in projects for d in self._analyse(p, sources, progress)]
        found.sort(key=lambda d: (d.place, d.code, d.message))
        for reason, keep in self.filters:
            kept = keep(found, sources)
            self.hidden.findings[reason] += len(found) - len(kept)
            found = kept
        return found

    def ran(self, path: str) -> frozenset[str]:
        """The rules that ran on a file in the last survey."""
        crashed = {crash.rule for crash in self.crashes}
        return self.policy.of(path).selection.rules - crashed - self._failed

    def _analyse(
        self, project: Project, sources: Sources, progress: Progress | None
    ) -> list[Diagnostic]:
        from dlint.engine.analyse import analyse

        cache_dir, cache_key = self._cache(project)
        request = Request(
            root=project.root,
            files=project.files,
            reported=project.reported,
            rules=self.policy.rules(project),
            overrides=self._given.overrides,
            cache_dir=cache_dir,
            cache_key=cache_key,
            answers_dir=self._answers_dir(),
            passing=self.passing,
            jobs=self.jobs,
            progress=progress,
            pause=self.pause,
            is_last=self.is_last and project is self._given.projects[-1],
        )
        outcome = analyse(request, sources)
        self._tell(project, outcome)
        self.hidden.rules_off |= self.policy.off(project)
        looked_at = project.reported - outcome.silent - outcome.uncommented
        result = parted(outcome.diagnostics, looked_at, self.ran, sources)
        root = str(project.root)
        pairs = ((found, self._applied(found)) for found in result.suppressed)
        self.hidden.findings[COMMENTS] += sum(self._shows(*pair, root) for pair in pairs)
        return self._sifted(result.kept, root)

    def _tell(self, project: Project, outcome: Outcome) -> None:
        self.notes.append(f"{project.root}: files checked: {len(project.reported)}")
        self.notes += [f"settings from {s.path}" for s in project.settings if s.path is not None]
        self.notes += outcome.notes
        self.warnings += [f"warning: {text}" for text in outcome.warnings]
        self.crashes += outcome.crashes
        self._failed |= outcome.failed

    def _sifted(self, unsuppressed: Iterable[Diagnostic], root: str) -> list[Diagnostic]:
        """The findings to show; those that settings hide are counted."""
        shown: list[Diagnostic] = []
        for found in unsuppressed:
            applied = self._applied(found)
            is_shown = self._shows(found, applied, root)
            if self.policy.is_ignored(found):
                self.hidden.findings[PER_FILE] += is_shown
                continue
            self.unfiltered.append(applied)
            if is_shown:
                shown.append(applied)
            else:
                self.hidden.findings[SEVERITY] += self._shows(found, found, root)
        return shown

    def _applied(self, diagnostic: Diagnostic) -> Diagnostic:
        if self._as_found:
            return diagnostic
        return self.policy.of(diagnostic.place.path).applied(diagnostic)

    def _shows(self, found: Diagnostic, applied: Diagnostic, root: str) -> bool:
        """Whether a finding, as it was found and as settings have it, is one to show.

        Of tests, only what dlint takes for an error is.
        """
        path = found.place.path
        if found.severity is not Severity.ERROR and is_test_of(self._sources, path, root):
            return False
        return self.policy.of(path).selection.shows(applied)

    def _cache(self, project: Project) -> tuple[Path | None, bytes]:
        """The folder of the cache, and the key to its entries where others may have put some."""
        asked: str | None = self._namespace.cache_dir
        if self._namespace.no_cache:
            return None, b""
        if asked is not None:
            return Path.cwd() / asked, b""
        set_dirs = (settings.cache_dir for settings in project.settings)
        folder = next((path for path in set_dirs if path is not None), None)
        key = own_key()
        if key is None or (folder is None and not _is_inside(project.root / CACHE, project.root)):
            return None, b""
        return folder or project.root / CACHE, key

    def _answers_dir(self) -> Path | None:
        """Where answers are kept: nowhere that a project could put some."""
        asked: str | None = self._namespace.cache_dir
        if self._namespace.no_cache:
            return None
        return user_cache() if asked is None else Path.cwd() / asked


def _is_inside(folder: Path, root: Path) -> bool:
    """Whether no link leads out of the project."""
    return folder.resolve().is_relative_to(root.resolve())
