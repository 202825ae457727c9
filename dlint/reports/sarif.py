"""SARIF 2.1.0, the exchange format that code scanning services read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from dlint import __version__, rule_docs
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.edits import Edit
from dlint.findings.links import SITE
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.reports import sarif_limits
from dlint.reports.identity import Identities
from dlint.reports.patch import by_file
from dlint.reports.view import View

Object = dict[str, object]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


_WARNINGS = {
    Applicability.SAFE: "",
    Applicability.UNSAFE: " (unsafe fix: look at it before you keep it)",
}
_LINK = lazily(r"\[(?=[^\[\]]*\]\()")
"""The bracket of what SARIF takes for a link even in plain text."""


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """One log of one run, no larger than GitHub takes it; what is left out is noted."""
    kept = sarif_limits.gravest(diagnostics, sarif_limits.MOST_RESULTS)
    text = _text(view, kept, len(diagnostics))
    while kept and sarif_limits.is_too_large(text):
        kept = sarif_limits.gravest(kept, len(kept) // 2)
        text = _text(view, kept, len(diagnostics))
    if len(kept) < len(diagnostics):
        view.notes.append(f"warning: {sarif_limits.left_out(len(diagnostics), len(kept))}")
    return text


def _text(view: View, diagnostics: Sequence[Diagnostic], total: int) -> str:
    return json.dumps(_Log(view, diagnostics, total).data(), indent=2) + "\n"


class _Log:
    def __init__(self, view: View, diagnostics: Sequence[Diagnostic], total: int) -> None:
        self._view = view
        self._diagnostics = diagnostics
        self._total = total
        self._rules = sorted({(d.code, d.name) for d in diagnostics})
        self._identities = Identities(view)

    def data(self) -> Object:
        run: Object = {
            "tool": {"driver": self._driver()},
            "originalUriBaseIds": {_BASE: {"description": {"text": "The top of the repository."}}},
            "columnKind": "unicodeCodePoints",
            "results": [self._result(diagnostic) for diagnostic in self._diagnostics],
        }
        if self._view.left_out:
            run["properties"] = {"leftOut": dict(self._view.left_out)}
        if len(self._diagnostics) < self._total:
            run["invocations"] = [self._incomplete()]
        return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}

    def _incomplete(self) -> Object:
        text = sarif_limits.left_out(self._total, len(self._diagnostics))
        notice = {"level": "warning", "message": {"text": text}}
        return {"executionSuccessful": True, "toolExecutionNotifications": [notice]}

    def _driver(self) -> Object:
        rules = [_rule(name) for _, name in self._rules]
        about: Object = {"name": "dlint", "semanticVersion": __version__, "informationUri": SITE}
        return about | {"rules": rules}

    def _result(self, diagnostic: Diagnostic) -> Object:
        result: Object = {
            "ruleId": diagnostic.code,
            "ruleIndex": self._rules.index((diagnostic.code, diagnostic.name)),
            "level": _LEVELS[diagnostic.severity],
            "message": _message(diagnostic.message),
            "locations": [self._location(diagnostic.place)],
            "partialFingerprints": {
                "primaryLocationLineHash": self._identities.fingerprint(diagnostic)
            },
        }
        related: list[Object] = [
            {"id": number, **self._location(related.place), "message": _message(related.message)}
            for number, related in enumerate(
                diagnostic.related[: sarif_limits.MOST_LOCATIONS - 1], 1
            )
        ]
        fixes = self._fixes(diagnostic)
        return (
            result
            | ({"relatedLocations": related} if related else {})
            | ({"fixes": fixes} if fixes else {})
        )

    def _location(self, place: Place) -> Object:
        """A place in the file; in a notebook also its cell and the row in that."""
        physical: Object = {
            "artifactLocation": self._artifact(place.path),
            "region": _region(*self._view.physical(place)),
        }
        cell = self._view.cell(place)
        if cell is None:
            return {"physicalLocation": physical}
        name = f"cell {cell}, line {self._view.position(place)[0]}"
        return {"physicalLocation": physical, "logicalLocations": [{"name": name}]}

    def _artifact(self, path: str) -> Object:
        base: Object = {"uriBaseId": _BASE} if self._identities.is_inside(path) else {}
        return {"uri": self._identities.uri(path)} | base

    def _fixes(self, diagnostic: Diagnostic) -> list[Object]:
        edits = self._view.edits(diagnostic)
        fix = diagnostic.fix
        if fix is None or fix.applicability not in _WARNINGS or not edits:
            return []
        changes = [
            {
                "artifactLocation": self._artifact(path),
                "replacements": list(self._replacements(path, group)),
            }
            for path, group in by_file(edits)
        ]
        described = _message(fix.message + _WARNINGS[fix.applicability])
        marked = {"applicability": fix.applicability.value}
        return [{"description": described, "artifactChanges": changes, "properties": marked}]

    def _replacements(self, path: str, edits: Sequence[Edit]) -> Iterator[Object]:
        source = self._view.source(path)
        if source is None:
            return
        for edit in source.in_file(edits):
            at = source.file.position(edit.start), source.file.position(edit.end)
            yield {"deletedRegion": _region(*at), "insertedContent": {"text": edit.text}}


def _region(start: tuple[int, int], end: tuple[int, int]) -> Object:
    (row, column), (end_row, end_column) = start, end
    return {"startLine": row, "startColumn": column, "endLine": end_row, "endColumn": end_column}


def _message(text: str) -> Object:
    return {"text": _LINK.sub(r"\\[", text)}


def _rule(name: str) -> Object:
    summary = rule_docs.summaries()[name]
    page = rule_docs.load(name)
    text = page.body.strip()
    address = rule_docs.url(name)
    return {
        "id": summary.code,
        "name": name,
        "shortDescription": {"text": summary.summary},
        "fullDescription": {"text": summary.summary},
        **({} if address is None else {"helpUri": address}),
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[summary.severity]},
        "properties": {"tags": [page.meta.category]},
    }
