"""SARIF 2.1.0, the exchange format that code scanning services read."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from dlint import __version__, catalogue
from dlint.diagnostic import Diagnostic, Severity
from dlint.fixes.edits import Edit
from dlint.places import Place
from dlint.reports.patch import by_file
from dlint.reports.view import View
from dlint.roots import repository_top

Object = dict[str, object]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """One log of one run."""
    return json.dumps(_Log(view, diagnostics).data(), indent=2) + "\n"


class _Log:
    def __init__(self, view: View, diagnostics: Sequence[Diagnostic]) -> None:
        self._view = view
        self._diagnostics = diagnostics
        self._rules = sorted({(d.code, d.name) for d in diagnostics})
        self._top = repository_top(view.directory) or view.directory
        self._seen: Counter[str] = Counter()

    def data(self) -> Object:
        run: Object = {
            "tool": {"driver": self._driver()},
            "originalUriBaseIds": {_BASE: {"description": {"text": "The top of the repository."}}},
            "columnKind": "unicodeCodePoints",
            "results": [self._result(diagnostic) for diagnostic in self._diagnostics],
        }
        return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}

    def _driver(self) -> Object:
        rules = [_rule(name) for _, name in self._rules]
        return {"name": "dlint", "semanticVersion": __version__, "rules": rules}

    def _result(self, diagnostic: Diagnostic) -> Object:
        result: Object = {
            "ruleId": diagnostic.code,
            "ruleIndex": self._rules.index((diagnostic.code, diagnostic.name)),
            "level": _LEVELS[diagnostic.severity],
            "message": {"text": diagnostic.message},
            "locations": [{"physicalLocation": self._location(diagnostic.place)}],
            "partialFingerprints": {"primaryLocationLineHash": self._fingerprint(diagnostic)},
        }
        related: list[Object] = [
            {
                "id": number,
                "physicalLocation": self._location(related.place),
                "message": {"text": related.message},
            }
            for number, related in enumerate(diagnostic.related, 1)
        ]
        fixes = self._fixes(diagnostic)
        return (
            result
            | ({"relatedLocations": related} if related else {})
            | ({"fixes": fixes} if fixes else {})
        )

    def _location(self, place: Place) -> Object:
        return {"artifactLocation": self._artifact(place.path), "region": self._region(place)}

    def _artifact(self, path: str) -> Object:
        file = Path(path)
        if file.is_relative_to(self._top):
            relative = os.fsencode(file.relative_to(self._top).as_posix())
            return {"uri": quote(relative), "uriBaseId": _BASE}
        return {"uri": file.as_uri()}

    def _region(self, place: Place) -> Object:
        row, column = self._view.position(place)
        end_row, end_column = self._view.end_position(place)
        region = {"startLine": row, "startColumn": column}
        return {**region, "endLine": end_row, "endColumn": end_column}

    def _fingerprint(self, diagnostic: Diagnostic) -> str:
        """The same for the same finding when lines above it come or go."""
        source = self._view.source(diagnostic.place.path)
        row, _ = self._view.position(diagnostic.place)
        line = "" if source is None else " ".join(source.line(row).split())
        uri = str(self._artifact(diagnostic.place.path)["uri"])
        text = "\0".join([diagnostic.name, uri, line])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._seen[digest] += 1
        return f"{digest}:{self._seen[digest]}"

    def _fixes(self, diagnostic: Diagnostic) -> list[Object]:
        edits = self._view.edits(diagnostic)
        if diagnostic.fix is None or not edits:
            return []
        changes = [
            {
                "artifactLocation": self._artifact(path),
                "replacements": [self._replacement(edit) for edit in group],
            }
            for path, group in by_file(edits)
        ]
        return [{"description": {"text": diagnostic.fix.message}, "artifactChanges": changes}]

    def _replacement(self, edit: Edit) -> Object:
        region = self._region(Place(edit.path, edit.start, edit.end))
        return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _rule(name: str) -> Object:
    summary = catalogue.summaries()[name]
    page = catalogue.load(name).body.strip()
    return {
        "id": summary.code,
        "name": name,
        "shortDescription": {"text": summary.summary},
        "fullDescription": {"text": summary.summary},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[summary.severity]},
    }
