"""Workflow commands that GitHub Actions shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.reports.view import View

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """One command for each finding."""
    return "".join(_command(view, diagnostic) for diagnostic in diagnostics)


def _command(view: View, diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    (row, column), (end_row, end_column) = view.physical(place)
    properties = {
        "title": f"dlint ({diagnostic.code} {diagnostic.name})",
        "file": place.path,
        "line": str(row),
        "endLine": str(end_row),
    }
    if row == end_row:  # GitHub takes columns for places of one line only
        properties |= {"col": str(column), "endColumn": str(end_column)}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(_text(view, diagnostic))}\n"


def _text(view: View, diagnostic: Diagnostic) -> str:
    lines = [f"{view.where(diagnostic.place)}: {diagnostic.code} {diagnostic.message}"]
    lines += [f"  {view.where(related.place)}: {related.message}" for related in diagnostic.related]
    if diagnostic.fix is not None and view.edits(diagnostic) is not None:
        lines.append(f"  help: {diagnostic.fix.message}")
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
