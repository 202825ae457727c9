"""Suppression comments written for findings, so that a project can adopt dlint as it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from dlint.findings.diagnostic import Diagnostic
from dlint.findings.edits import Edit
from dlint.rule_docs import COMMENT_RULES, FILE_RULES
from dlint.suppression.comments import Layout, layout
from dlint.suppression.directives import Directive, directives
from dlint.workspace.kinds import JSON, kind_of
from dlint.workspace.source import Source

DEFAULT_REASON = "not yet reviewed"
_NOT_SUPPRESSED = frozenset({*FILE_RULES, *COMMENT_RULES})


@dataclass(slots=True)
class Added:
    """The edits of one file."""

    edits: list[Edit] = field(default_factory=list)
    suppressed: int = 0
    """Findings that the edits suppress."""


def add_ignores(source: Source, found: Iterable[Diagnostic], reason: str) -> Added:
    """`# dlint: ignore[name] reason` for each finding in a source.

    A comment goes behind the finding's first line, into the list of a directive that covers it
    already, or above the statement where nothing may follow that line. JSON takes no comments.
    """
    if kind_of(source.path) == JSON:
        return Added()
    return _Writer(source, " ".join(reason.split())).written(found)


class _Writer:
    def __init__(self, source: Source, reason: str) -> None:
        self._source = source
        self._reason = reason
        self._layout: Layout = layout(source)
        self._directives = [
            directive
            for comment in self._layout.comments
            for directive in directives(comment)
            if isinstance(directive, Directive) and not directive.whole_file
        ]

    def written(self, found: Iterable[Diagnostic]) -> Added:
        added = Added()
        names_at: defaultdict[tuple[int, str, str], set[str]] = defaultdict(set)
        for diagnostic in found:
            if diagnostic.name in _NOT_SUPPRESSED:
                continue
            target = self._target(self._source.position(diagnostic.place.start)[0])
            if target is not None:
                names_at[target].add(diagnostic.name)
                added.suppressed += 1
        for (offset, before, behind), names in sorted(names_at.items()):
            text = before + ", ".join(sorted(names)) + behind
            added.edits.append(Edit(self._source.path, offset, offset, text))
        return added

    def _target(self, row: int) -> tuple[int, str, str] | None:
        """Where the name of a rule goes, and what to put before and behind it."""
        for directive in self._directives:
            first, last = directive.comment.covers
            if first <= row <= last:
                return directive.entries[-1].span[1], ", ", ""
        reason = f" {self._reason}" if self._reason else ""
        comment = "# dlint: ignore[", f"]{reason}"
        if row in self._layout.extensible:
            line = self._source.line(row)
            end = self._source.line_starts[row - 1] + len(line.rstrip())
            return end, f"  {comment[0]}", comment[1]
        return self._above(row, comment)

    def _above(self, row: int, comment: tuple[str, str]) -> tuple[int, str, str] | None:
        """A line of its own above the statement; None where the tokenizer did not get to it."""
        first, last = self._layout.logical_line(row)
        if first == last:
            return None
        line = self._source.line(first)
        indent = line[: len(line) - len(line.lstrip())]
        start = self._source.line_starts[first - 1]
        return start, indent + comment[0], comment[1] + self._source.newline
