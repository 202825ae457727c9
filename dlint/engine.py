"""From the files of a project to diagnostics."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from dlint import catalogue, checks
from dlint.diagnostic import Diagnostic, Severity
from dlint.discover import is_test
from dlint.places import Place
from dlint.request import Outcome, Request
from dlint.source import Source, Sources, UnreadableError

if TYPE_CHECKING:
    from dlint.index.model import ModuleIndex

_SEED = re.compile(
    rb"DataLoader|DistributedSampler|set_sharing_strategy|IterableDataset|training_data\b"
)
_DATASET = re.compile(rb"torch[\s\S]*Dataset\b[\s\S]*def __getitem__")
_MAY_FAIL = re.compile(
    rb"sampler[\s\S]*shuffle|shuffle[\s\S]*sampler|DistributedSampler|set_sharing_strategy"
)
"""Test files are asked only for errors: without any of these there can be none."""


def analyse(request: Request, sources: Sources) -> Outcome:
    """Run the rules of a request over its project.

    Findings lie in the reported files; they are neither sorted nor filtered by suppressions.
    """
    return _Run(request, sources).outcome()


class _Run:
    """One analysis: what is read and lowered is shared by its passes."""

    def __init__(self, request: Request, sources: Sources) -> None:
        self._request = request
        self._sources = sources
        self._problems: dict[str, Diagnostic] = {}
        self._modules: dict[str, ModuleIndex | None] = {}
        root = len(str(request.root))
        self._tests = {p for p in map(str, request.files) if is_test(p[root:])}
        self._main = {str(path) for path in request.files} - self._tests

    def outcome(self) -> Outcome:
        """What all passes find in the reported files."""
        outcome = Outcome()
        seeds = [path for path in sorted(self._main) if self._is_seed(path)]
        self._pass(frozenset(self._main), seeds, outcome)
        reported = self._request.reported
        if any(path in self._tests for path in reported):
            self._test_pass(outcome)
        for path in reported:
            if path not in self._modules and self._is_seed(path):
                self._lower(path)
        outcome.diagnostics += self._problems.values()
        outcome.diagnostics = [d for d in outcome.diagnostics if d.place.path in reported]
        return outcome

    def _test_pass(self, outcome: Outcome) -> None:
        """Tests call the program in ways it is not used: they are apart, and give errors only."""
        seeds = [
            path
            for path in sorted(self._tests)
            if self._is_seed(path) and _MAY_FAIL.search(self._text(path))
        ]
        found = Outcome()
        self._pass(frozenset(self._main | self._tests), seeds, found)
        outcome.notes += found.notes
        outcome.diagnostics += [
            d
            for d in found.diagnostics
            if d.severity is Severity.ERROR and d.place.path in self._tests
        ]

    def _pass(self, files: frozenset[str], seeds: list[str], outcome: Outcome) -> None:
        if not seeds:
            return
        from dlint.domain.program import Program
        from dlint.project.project import Project

        program = Program(Project(files, self._lower, self._text), seeds)
        summaries = catalogue.summaries()
        for name in checks.CHECKS:
            if name in self._request.rules:
                code = summaries[name].code
                for finding in checks.load(name)(program):
                    outcome.diagnostics.append(finding.diagnostic(name, code))
        outcome.notes += program.notes()

    def _is_seed(self, path: str) -> bool:
        text = self._text(path)
        return _SEED.search(text) is not None or _DATASET.search(text) is not None

    def _text(self, path: str) -> bytes:
        """The bytes of a file, for searches; a file that cannot be read is empty."""
        source = self._source(path)
        return b"" if source is None else _bytes(source)

    def _source(self, path: str) -> Source | None:
        try:
            return self._sources.get(path)
        except UnreadableError as error:
            self._problem(path, "unreadable-file", str(error), (0, 0))
            return None

    def _lower(self, path: str) -> ModuleIndex | None:
        if path not in self._modules:
            self._modules[path] = self._lowered(path)
        return self._modules[path]

    def _lowered(self, path: str) -> ModuleIndex | None:
        from dlint.index.lower import SyntaxProblem, lower

        source = self._source(path)
        if source is None:
            return None
        try:
            return lower(source)
        except SyntaxProblem as problem:
            row = min(max(problem.row, 1), len(source.line_starts))
            start = min(source.offset(row, max(problem.column, 1)), len(source.text))
            self._problem(path, "syntax-error", problem.message, (start, start))
            return None

    def _problem(self, path: str, name: str, message: str, span: tuple[int, int]) -> None:
        code = catalogue.summaries()[name].code
        place = Place(path, *span)
        self._problems[path] = Diagnostic(code, name, Severity.ERROR, message, place)


@cache
def _bytes(source: Source) -> bytes:
    return source.raw if source.raw is not None else source.text.encode("utf-8", "replace")
