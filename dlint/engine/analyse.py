"""From the files of a project to diagnostics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.engine.answering import MANY_OBJECTS, Answering
from dlint.engine.kept.keeping import Kept
from dlint.engine.parts import Look, Part, Parts
from dlint.engine.request import Outcome, Request
from dlint.engine.roles import FEW, Roles
from dlint.engine.room import with_room
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.frontends.modules import Modules
from dlint.workspace import asked
from dlint.workspace.kinds import MOST_BYTES, is_notebook
from dlint.workspace.reading import Sources

if TYPE_CHECKING:
    from dlint.engine.answer import Answer
    from dlint.engine.rule_runs import RuleRuns, Watch
    from dlint.model.versions.older_pythons import OlderPythons

Paths = frozenset[str]

_RECURSION_LIMIT = 12_000
"""Frames; the stack of the process holds some more."""


def analyse(request: Request, sources: Sources, watch: Watch | None = None) -> Outcome:
    """Run the rules of a request over its project, and watch each program that is analysed.

    Findings lie in the reported files; they are neither sorted nor filtered by suppressions. A
    crash of a rule stands among the crashes of the outcome; raises DlintCrash for any other.
    """
    with _without_collecting(), _deep(), _forgetting():
        return with_room(lambda: _Run(request, sources, watch).outcome())


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Nearly all that an analysis makes lives until its end; what earlier ones left may be much."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def _forgetting() -> Iterator[None]:
    """What is remembered of a program would keep all of it."""
    try:
        yield
    finally:
        if "dlint.ir.remembering" in sys.modules:  # else nothing was: a start is quick without it
            from dlint.ir.remembering import forget

            forget()


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
    """One analysis: what is read and lowered is shared by its parts."""

    def __init__(self, request: Request, sources: Sources, watch: Watch | None) -> None:
        self._request = request
        self._modules = Modules(sources, request.cache_dir, request.overrides, request.cache_key)
        self._kept = Kept(request, sources, self._modules, is_watched=watch is not None)
        self._roles = Roles(request, self._modules, self._kept.files)
        self._parts = Parts(self._roles, self._modules, self._kept)
        self._kept.give("bystanders", lambda: self._roles.bystanders)
        self._kept.give("own code", lambda: sorted(self._roles.main))
        self._watch = watch
        jobs = 1 if watch is not None else request.jobs
        self._answering = Answering(
            lambda: self._rules,
            self._modules,
            self._kept,
            jobs,
            request.progress,
            meanwhile=self._look_at_files,
            named=self._parts.named_in,
        )
        self._outcome = Outcome()

    @cached_property
    def _rules(self) -> RuleRuns:
        from dlint.engine.rule_runs import RuleRuns, everywhere

        def told(part: Part) -> Callable[[str], bool]:
            is_whole = self._watch is not None or self._kept.keeps(part)
            return everywhere if is_whole else self._request.reported.__contains__

        said, around = self._kept.files.said, (self._bystanders, self._own_code)
        return RuleRuns(self._request, self._modules, said, *around, self._watch, told)

    def outcome(self) -> Outcome:
        """What all parts hold in the reported files."""
        if len(self._request.reported) > FEW:
            self._kept.open()
        reported = frozenset(filter(self._roles.matters, self._request.reported))
        large = self._modules.large & self._request.reported
        self._tell_large("configs", large, f"larger than {MOST_BYTES // 1_000_000} MB: not read")
        for part, answer in self._answering.about(self._parts.of(reported)):
            self._add(part, answer, reported)
        for path in sorted(reported):
            self._add_problem(path)
            if not self._roles.holds_comments(path):
                self._outcome.uncommented.add(path)
        self._outcome.silent |= self._roles.silent
        if self._modules.oversized:
            from dlint.workspace.bounds import TOO_LARGE

            self._tell_large("Python files", self._modules.oversized, f"not read: {TOO_LARGE}")
        self._kept.save()
        if not self._request.is_last and "_rules" in self.__dict__:
            self._rules.let_go()
        return self._outcome

    @cached_property
    def _older_pythons(self) -> OlderPythons:
        from dlint.model.versions.older_pythons import OlderPythons

        return OlderPythons(self._modules.source, lambda: self._roles.main)

    def _look_at_files(self) -> None:
        """Find what is said of each reported file by itself."""
        for path in filter(self._roles.matters, sorted(self._request.reported)):
            self._roles.is_broken(path)
            self._roles.holds_comments(path)

    def _bystanders(self) -> tuple[str, ...]:
        asked.note_answer("bystanders", self._roles.bystanders)
        return self._roles.bystanders

    def _own_code(self) -> list[str]:
        asked.note_answer("own code", found := sorted(self._roles.main))
        return found

    def _tell_large(self, kind: str, paths: Iterable[str], why: str) -> None:
        """Say which files were not read, as they are too large."""
        large = sorted(paths)
        if large:
            more = f" ({len(large)} such {kind})" if len(large) > 1 else ""
            self._outcome.warnings.append(f"{large[0]}: {why}{more}")

    def _add(self, part: Part, answer: Answer, reported: Paths) -> None:
        """Add what is said of one part."""
        outcome = self._outcome
        outcome.diagnostics += (d for d in answer.diagnostics if self._counts(d, part, reported))
        outcome.warnings += (c for c in dict.fromkeys(answer.cut) if c not in outcome.warnings)
        outcome.notes += (n for n in dict.fromkeys(answer.notes) if n not in outcome.notes)
        for crash in answer.crashes:
            outcome.note_crash(crash)

    def _counts(self, found: Diagnostic, part: Part, reported: Paths) -> bool:
        """Whether a finding of a part is one of the run."""
        path = found.place.path
        if found.severity is not Severity.ERROR and self._roles.is_test(path):
            return False
        if part.look is Look.NOTEBOOK:
            return path in part.seeds and not self._has_failed(found)
        if path not in (reported if part.told is None else reported & part.told):
            return False
        return self._roles.is_test(path) is (part.look is Look.TESTS)

    def _has_failed(self, diagnostic: Diagnostic) -> bool:
        """Whether the cell of a finding is kept with an error: what it shows is the failure."""
        source = self._modules.source(diagnostic.place.path)
        return source is not None and source.failed_at(diagnostic.place.start)

    def _add_problem(self, path: str) -> None:
        """What is to be said of a reported file itself, if it is no module or was cut.

        Of those that are no modules: if something asked for them or they speak of torch.
        """
        if is_notebook(path):
            notices = self._roles.notices(path)
            self._outcome.warnings += (f"{path}: {text}" for text in notices)
        if self._roles.is_broken(path):
            self._modules.get(path)
        problem = self._modules.problems.get(path)
        if problem is None:
            return
        from dlint.rule_docs import FILE_RULES
        from dlint.rules.registry import load_file_rule

        for name in FILE_RULES:
            code = rule_docs.summaries()[name].code
            found = load_file_rule(name)(problem, self._older_pythons)
            self._outcome.diagnostics += [finding.diagnostic(name, code) for finding in found]
