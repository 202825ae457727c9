"""Reviewdog's format of diagnostics; its columns count bytes of UTF-8, its messages are Markdown.

A suggestion of reviewdog is applied by itself, so that only a fix of neighbouring lines is one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from dlint import rule_docs
from dlint.findings.controls import visible
from dlint.findings.diagnostic import Applicability, Diagnostic, Related, Severity
from dlint.findings.edits import Edit, apply_edits
from dlint.findings.links import SITE
from dlint.findings.places import Place
from dlint.reports.identity import Identities
from dlint.reports.markdown import escaped
from dlint.reports.view import View

Object = dict[str, object]

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}
_MOST_ROWS = 10
"""Rows that a suggestion may span: a review shows few around a change."""


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """One result with all findings."""
    report = _Report(view)
    found = [report.diagnostic(diagnostic) for diagnostic in diagnostics]
    return (
        json.dumps({"source": {"name": "dlint", "url": SITE}, "diagnostics": found}, indent=2)
        + "\n"
    )


class _Report:
    def __init__(self, view: View) -> None:
        self._view = view
        self._identities = Identities(view)

    def diagnostic(self, diagnostic: Diagnostic) -> Object:
        found: Object = {
            "message": _message(diagnostic),
            "location": self._location(diagnostic.place),
            "severity": _SEVERITIES[diagnostic.severity],
            "code": _code(diagnostic),
        }
        suggestion = self._suggestion(diagnostic)
        if diagnostic.related:
            found["related_locations"] = [self._related(related) for related in diagnostic.related]
        return found | ({"suggestions": [suggestion]} if suggestion else {})

    def _related(self, related: Related) -> Object:
        message = escaped(visible(related.message))
        return {"message": message, "location": self._location(related.place)}

    def _location(self, place: Place) -> Object:
        points = (self._point(place.path, *point) for point in self._view.physical(place))
        return {
            "path": self._identities.path(place.path),
            "range": dict(zip(("start", "end"), points, strict=True)),
        }

    def _point(self, path: str, row: int, column: int) -> Object:
        """A row and a column in characters, as a row and a column in bytes."""
        source = self._view.source(path)
        before = "" if source is None else source.file.line(row)[: column - 1]
        return {"line": row, "column": len(before.encode("utf-8", "surrogatepass")) + 1}

    def _suggestion(self, diagnostic: Diagnostic) -> Object | None:
        """The text in place of what lies between the first and the last edit."""
        edits = self._view.edits(diagnostic)
        source = self._view.source(diagnostic.place.path)
        if not edits or source is None or {e.path for e in edits} != {diagnostic.place.path}:
            return None
        if diagnostic.fix is None or diagnostic.fix.applicability is Applicability.TRIAL:
            return None
        whole = sorted(source.in_file(edits))
        start, end = whole[0].start, max(edit.end for edit in whole)
        (first, _), (last, _) = points = source.file.position(start), source.file.position(end)
        if last - first >= _MOST_ROWS:
            return None
        moved = [Edit(e.path, e.start - start, e.end - start, e.text) for e in whole]
        names = zip(("start", "end"), points, strict=True)
        return {
            "range": {name: self._point(source.path, *point) for name, point in names},
            "text": apply_edits(source.file.text[start:end], moved),
        }


def _code(diagnostic: Diagnostic) -> Object:
    address = rule_docs.url(diagnostic.name)
    link: Object = {} if address is None else {"url": address}
    return {"value": diagnostic.code} | link


def _message(diagnostic: Diagnostic) -> str:
    message = escaped(visible(diagnostic.message))
    fix = diagnostic.fix
    if fix is None or fix.applicability is not Applicability.UNSAFE:
        return message
    return (
        f"{message} (Unsafe fix: {escaped(visible(fix.message))}. Look at it before you keep it.)"
    )
