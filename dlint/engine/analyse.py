"""From the files of a project to diagnostics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.engine.request import Outcome, Request
from dlint.engine.room import with_room
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.frontends.modules import Modules
from dlint.workspace import scan
from dlint.workspace.discover import is_test
from dlint.workspace.errors import DlintCrash
from dlint.workspace.kinds import MOST_BYTES, is_config, is_notebook, is_shell
from dlint.workspace.reading import Sources
from dlint.workspace.spelling import spelled
from dlint.workspace.text_index import Words

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.finding import Finding
    from dlint.frontends.documents import Documents
    from dlint.rule_docs import Summary

Paths = frozenset[str]
Look = Callable[["AnalysisContext"], None]

_MANY = 2_000_000
"""Objects, of some hundred bytes each."""
_RECURSION_LIMIT = 12_000
"""Frames; the stack of the process holds some more."""


def analyse(request: Request, sources: Sources, look: Look | None = None) -> Outcome:
    """Run the rules of a request over its project, and look at each program that is analysed.

    Findings lie in the reported files; they are neither sorted nor filtered by suppressions. A
    crash of a rule stands among the crashes of the outcome; raises DlintCrash for any other.
    """
    with _without_collecting(), _deep():
        return with_room(lambda: _Run(request, sources, look).outcome())


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Nearly all that an analysis makes lives until its end; what earlier ones left may be much."""
    if gc.get_count()[0] > _MANY:
        gc.collect()
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def _deep() -> Iterator[None]:
    """Some functions go down into expressions, whose depth is bounded where they are read."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _Run:
    """One analysis: what is read and lowered is shared by its passes."""

    def __init__(self, request: Request, sources: Sources, look: Look | None) -> None:
        self._request = request
        self._look = look
        self._modules = Modules(sources, request.cache_dir, request.overrides)
        self._text = self._modules.text
        self._outcome = Outcome()
        self._speaking: set[str] = set()
        """Config files that speak of loaders."""

    def outcome(self) -> Outcome:
        """What all passes find in the reported files."""
        reported = frozenset(filter(self._matters, self._request.reported))
        self._tell_large("configs", self._modules.large & self._request.reported)
        notebooks = frozenset(path for path in reported if is_notebook(path))
        tests = frozenset(filter(self._is_test, reported - notebooks))
        self._check_main(reported - tests - notebooks)
        self._check_tests(tests)
        for path in sorted(notebooks):
            self._check_notebook(path)
        self._tell_large("Python files", self._modules.oversized)
        return self._outcome

    def _matters(self, path: str) -> bool:
        """Whether a file may be a module: of configs only what speaks of loaders."""
        if path in self._outcome.silent:
            return False
        if path in self._speaking or not is_config(path):
            return True
        speaks = scan.is_shell_seed if is_shell(path) else scan.is_config_seed
        if speaks(self._modules.glance(path)):
            self._speaking.add(path)
            return True
        self._outcome.silent.add(path)
        return False

    def _tell_large(self, kind: str, paths: Iterable[str]) -> None:
        """Say which files were not read, as they are too large."""
        large = sorted(paths)
        if large:
            more = f" ({len(large)} such {kind})" if len(large) > 1 else ""
            size = f"larger than {MOST_BYTES // 1_000_000} MB: not read"
            self._outcome.warnings.append(f"{large[0]}: {size}{more}")

    def _is_test(self, path: str) -> bool:
        return is_test(path[len(str(self._request.root)) :])

    @cached_property
    def _files(self) -> Paths:
        paths = filter(self._matters, map(spelled, self._request.files))
        return frozenset(path for path in paths if not is_notebook(path))

    @cached_property
    def _main(self) -> Paths:
        return frozenset(path for path in self._files if not self._is_test(path))

    @cached_property
    def _words(self) -> Words:
        """The words of all files: what another program says of a GPU is said of the project."""
        return Words(self._main, self._text)

    def _bystanders(self) -> list[str]:
        paths = sorted(set(map(spelled, self._request.files)) - self._main)
        return [path for path in paths if is_notebook(path) or self._is_test(path)]

    def _check_main(self, reported: Paths) -> None:
        if self._may_hold_findings(reported):
            seeds = [path for path in sorted(self._main) if self._is_seed(path)]
            for own, files in self._programs(self._main, seeds, reported):
                found = self._findings(own, files, None, self._words)
                self._outcome.diagnostics += [d for d in found if d.place.path in reported]
        self._add_problems(reported)

    def _programs(
        self, files: Paths, seeds: list[str], reported: Paths
    ) -> Iterator[tuple[list[str], Paths]]:
        """The independent programs of some files that have to do with what is reported."""
        if not seeds:
            return
        from dlint.semantics.names.imports import ImportMap
        from dlint.semantics.names.programs import programs

        imports = ImportMap.of(files, lambda path: b"sys.path" in self._text(path))
        yield from programs(files, imports, self._text).of(seeds, reported)

    def _is_seed(self, path: str) -> bool:
        if is_shell(path):
            text = self._text(path)
            return scan.trains_from_shell(text) or scan.starts_containers(text)
        return is_config(path) or scan.is_seed(self._text(path))

    def _check_tests(self, reported: Paths) -> None:
        """Tests call the program in ways it is not used: they are apart, and give errors only."""
        if self._may_hold_findings(reported):
            searched = [
                path for path in self._files - self._main if scan.orders_samples(self._text(path))
            ]
            searched += filter(is_config, reported)
            seeds = [
                path
                for path in sorted(searched)
                if is_config(path) or scan.is_test_seed(self._text(path))
            ]
            found = self._findings(seeds, self._files, frozenset(searched))
            errors = (d for d in found if d.severity is Severity.ERROR)
            self._outcome.diagnostics += [d for d in errors if d.place.path in reported]
        self._add_problems(reported)

    def _check_notebook(self, path: str) -> None:
        """A notebook is a program of its own: what uses the project does not change its modules."""
        text = self._text(path)
        self._outcome.warnings += [f"{path}: {text}" for text in self._modules.notices(path)]
        if scan.is_seed(text):
            found = self._findings([path], self._main | {path}, frozenset({path}))
            if self._is_test(path):
                found = [d for d in found if d.severity is Severity.ERROR]
            own = [d for d in found if d.place.path == path and not self._has_failed(d)]
            self._outcome.diagnostics += own
        self._add_problem(path)

    def _has_failed(self, diagnostic: Diagnostic) -> bool:
        """Whether the cell of a finding is kept with an error: what it shows is the failure."""
        source = self._modules.source(diagnostic.place.path)
        return source is not None and source.failed_at(diagnostic.place.start)

    @cached_property
    def _documents(self) -> Documents:
        from dlint.frontends.documents import Documents

        return Documents(spelled(self._request.root), self._modules.source)

    def _may_hold_findings(self, reported: Paths) -> bool:
        return any(
            is_config(path)
            or scan.may_hold_findings(self._text(path))
            or not self._modules.is_valid(path)
            for path in sorted(reported)
        )

    def _findings(
        self, seeds: list[str], files: Paths, searched: Paths | None, words: Words | None = None
    ) -> list[Diagnostic]:
        """What the rules find in a program of some files, begun at the seeds."""
        if not seeds:
            return []
        from dlint.analyses.context import analysis_contexts
        from dlint.engine.crashes import blamed
        from dlint.rules.registry import checks
        from dlint.semantics.project import Project

        names = [name for name in checks() if name in self._request.rules]
        found: list[Diagnostic] = []
        project = Project(
            files,
            self._modules.get,
            self._text,
            documents=self._documents,
            searched=searched,
            bystanders=self._bystanders,
            around=words,
        )
        made = analysis_contexts(project, seeds, self._outcome.notes)
        while True:
            with blamed():
                context = next(made, None)
            if context is None:
                return found
            for name in names:
                try:
                    found += found_by(name, context)
                except DlintCrash as crash:
                    self._outcome.note_crash(crash)
            if self._look is not None:
                self._look(context)
            self._tell_versions(context)

    def _tell_versions(self, context: AnalysisContext) -> None:
        """Say which versions of packages were taken, and from where."""
        from dlint.model.versions import Versions

        notes = self._outcome.notes
        notes += [n for n in context[Versions].told(self._request.root) if n not in notes]

    def _add_problems(self, reported: Paths) -> None:
        """Files that are no modules, if something asked for them or they speak of torch."""
        for path in sorted(reported):
            if scan.mentions_torch(self._text(path)) and not self._modules.is_valid(path):
                self._modules.get(path)
            self._add_problem(path)

    def _add_problem(self, path: str) -> None:
        """What the rules about files say of one that is no module."""
        problem = self._modules.problems.get(path)
        if problem is None:
            return
        from dlint.rule_docs import FILE_RULES
        from dlint.rules.registry import load_file_rule

        for name in FILE_RULES:
            code = rule_docs.summaries()[name].code
            found = load_file_rule(name)(problem)
            self._outcome.diagnostics += [finding.diagnostic(name, code) for finding in found]


def found_by(name: str, context: AnalysisContext) -> list[Diagnostic]:
    """What one rule finds."""
    from dlint.analyses.idle.failing_imports import FailingImports
    from dlint.analyses.idle.idleness import IdleCode
    from dlint.engine.crashes import blamed
    from dlint.model.config_origins import with_settings
    from dlint.rules.registry import load

    rule = rule_docs.summaries()[name]
    with blamed(name):
        findings = load(name)(context)
        if rule.package is not None:
            from dlint.engine.own_rules import sound

            findings = map(sound, findings)
        found = list(_in_versions(findings, rule, context))
        found = [d for d in found if context[FailingImports].can_run(d.place.path)]
        found = [context[IdleCode].weighed(d) for d in found]
        if rule.is_about_speed:
            found = [_with_scripts(d, context) for d in found]
        return [with_settings(d, context) for d in found]


def _in_versions(
    findings: Iterable[Finding], rule: Summary, context: AnalysisContext
) -> Iterator[Diagnostic]:
    """The findings that hold in versions of torch that their projects admit."""
    from dlint.library_facts.torch_versions import FACTS
    from dlint.model.version_facts import in_versions
    from dlint.model.version_specifiers import window_of

    always = [] if rule.torch == "all" else [window_of(rule.torch)]
    for finding in findings:
        diagnostic = finding.diagnostic(rule.name, rule.code)
        windows = [*always, *(FACTS[fact] for fact in finding.needs)]
        kept = in_versions(context, diagnostic, windows) if windows else diagnostic
        if kept is not None:
            yield kept


def _with_scripts(diagnostic: Diagnostic, context: AnalysisContext) -> Diagnostic:
    """The finding with the scripts by which it can be measured."""
    from dlint.model.entry_points import EntryPoints

    places = [diagnostic.place, *(related.place for related in diagnostic.related)]
    return diagnostic._replace(scripts=tuple(context[EntryPoints].scripts_for(places)))
