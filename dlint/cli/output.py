"""Where the report of a run goes, and the exit code that it means."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from dlint import reports
from dlint.cli.ci_log import logged
from dlint.cli.colour import Screen, wanted, wants_links, width
from dlint.findings.controls import in_one_line, visible
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.reports.hidden import Hidden
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Settings
from dlint.workspace.source import Source

if TYPE_CHECKING:
    from dlint.reports.view import View

_FAILING = {
    "error": frozenset({Severity.ERROR}),
    "warning": frozenset({Severity.ERROR, Severity.WARNING}),
    "info": frozenset(Severity),
}
_SIGNS = dict.fromkeys(reports.FOR_PROGRAMS, r"\u0023") | {"junit": "&#35;"}
"""How the formats for programs spell `#`."""
_SIGN = r"\x23"


class Output:
    """Prints what a run found, as its flags and settings want it."""

    def __init__(
        self,
        namespace: argparse.Namespace,
        settings: Settings,
        applicable: frozenset[Applicability],
    ) -> None:
        self.applicable = applicable
        """Fixes that `--fix` applies under these flags."""
        self._namespace = namespace
        self.format: str = namespace.output_format or settings.output_format or "full"
        self.fail_on: str = namespace.fail_on or settings.fail_on or "info"
        if namespace.statistics and self.format not in reports.WITH_STATISTICS:
            raise UsageError(f"`--statistics` cannot be printed as {self.format}")

    def note(self, text: str) -> None:
        """Say something beside the report, unless the user wants the report only."""
        if not self._namespace.quiet:
            sys.stderr.write(f"{logged(visible(text))}\n")

    def hidden(self, hidden: Hidden) -> None:
        """Say beside a report how much is not shown."""
        for line in hidden.in_words().splitlines():
            self.note(line)

    def told(self, warnings: Iterable[str], details: Iterable[str]) -> None:
        """Say what was left out, and what only `-v` asks for."""
        for text in warnings:
            self.note(in_one_line(text))
        if self._namespace.verbose:
            sys.stderr.writelines(f"{logged(visible(in_one_line(text)))}\n" for text in details)

    def pass_on(self, source: Source, text: str) -> None:
        """Write a text to standard output with the encoding and newlines of its source."""
        try:
            raw = source.encode(text)
        except UnicodeEncodeError as error:
            raise UsageError(f"cannot write {source.path}: {error}") from error
        _write_raw(raw)

    def diff(self, source: Source, text: str) -> None:
        """Write what would change in a source to standard output, in the source's encoding."""
        from dlint.fixes.diff import unified_diff

        path = Path(source.path)
        name = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        diff = unified_diff(name.as_posix(), source, text)
        _write_raw(diff.encode(source.encoding, "backslashreplace"))

    def would_fix(self, fixed: int, left: Sequence[Diagnostic], sources: Sources) -> None:
        """Say beside a diff how many findings it is about, and what it leaves out as unsafe."""
        if self._namespace.quiet:
            return
        from dlint.reports.summary import of_diff
        from dlint.reports.view import View

        self.note(of_diff(View(sources, Path.cwd(), self.applicable), left, fixed))

    def report(
        self,
        found: Sequence[Diagnostic],
        sources: Sources,
        hidden: Hidden,
        fixed: int = 0,
        aside: bool = False,
    ) -> int:
        """Print the findings, on standard error if `aside`. Returns the exit code they mean."""
        stream = sys.stderr if aside else sys.stdout
        screen = self._screen(stream)
        text = self._rendered(found, sources, hidden, fixed, screen)
        if self._ends_with_summary:
            text += hidden.in_words()
        else:
            self.hidden(hidden)
        if self.format not in reports.FOR_PROGRAMS:
            text = visible(text, colour=screen.colour, links=screen.links)
        self._write(text, stream)
        return self.exit_code(any(d.severity in _FAILING[self.fail_on] for d in found))

    def exit_code(self, failed: bool) -> int:
        """1 when the run failed, unless the user wants 0 in any case."""
        return 1 if failed and not self._namespace.exit_zero else 0

    @property
    def _ends_with_summary(self) -> bool:
        return self.format in reports.FOR_PEOPLE and not self._namespace.quiet

    def _rendered(
        self,
        found: Sequence[Diagnostic],
        sources: Sources,
        hidden: Hidden,
        fixed: int,
        screen: Screen,
    ) -> str:
        if not found and not fixed and self.format in reports.FOR_PEOPLE:
            return "All checks passed!\n" if self._ends_with_summary else ""
        from dlint.reports.view import View

        view = View(sources, Path.cwd(), self.applicable, *screen, _FAILING[self.fail_on])
        view.left_out = hidden.counts()
        text = self._body(view, found)
        for note in view.notes:
            self.note(note)
        if self._ends_with_summary:
            from dlint.reports.summary import summary

            text += summary(view, found, fixed)
        return text

    def _body(self, view: View, found: Sequence[Diagnostic]) -> str:
        if self._namespace.statistics:
            from dlint.reports import statistics

            return statistics.render(view, found, self.format == "json")
        return reports.load(self.format)(view, found)

    def _screen(self, stream: TextIO) -> Screen:
        choice: str = self._namespace.color
        if self._namespace.output_file is not None:
            return Screen(choice == "always", links=False, width=None)
        return Screen(wanted(choice, stream), wants_links(choice, stream), width(stream))

    def _write(self, text: str, stream: TextIO) -> None:
        target = self._namespace.output_file
        if target is None:
            stream.write(logged(text, _SIGNS.get(self.format, _SIGN)))
            return
        try:
            Path(target).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(f"cannot write {target}: {error.strerror or error}") from error


def _write_raw(raw: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()
