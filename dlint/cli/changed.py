"""`--diff-base`: findings on changed lines only."""

from __future__ import annotations

from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.reports.hidden import UNCHANGED
from dlint.suppression.changed_lines import ChangedLines


def install(checker: Checker, output: Output, given: Input, revision: str) -> None:
    """Let a check show what lies on lines that changed since a revision. Raises UsageError."""
    roots = [project.root for project in given.projects if project.reported]
    lines = ChangedLines(revision, roots)
    for note in lines.notes:
        output.note(note)
    checker.filters.append((UNCHANGED, lines.on_them))
