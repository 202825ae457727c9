"""SARIF 2.1.0, the exchange format that code scanning services read."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from dlint import __version__, rule_docs
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.edits import Edit
from dlint.findings.links import SITE
from dlint.findings.places import Place
from dlint.reports.patch import by_file
from dlint.reports.view import View
from dlint.workspace.roots import repository_top

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
        about: Object = {"name": "dlint", "semanticVersion": __version__, "informationUri": SITE}
        return about | {"rules": rules}

    def _result(self, diagnostic: Diagnostic) -> Object:
        result: Object = {
            "ruleId": diagnostic.code,
            "ruleIndex": self._rules.index((diagnostic.code, diagnostic.name)),
            "level": _LEVELS[diagnostic.severity],
            "message": {"text": diagnostic.message},
            "locations": [self._location(diagnostic.place)],
            "partialFingerprints": {"primaryLocationLineHash": self._fingerprint(diagnostic)},
        }
        related: list[Object] = [
            {"id": number, **self._location(related.place), "message": {"text": related.message}}
            for number, related in enumerate(diagnostic.related, 1)
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
        file = Path(path)
        if file.is_relative_to(self._top):
            relative = os.fsencode(file.relative_to(self._top).as_posix())
            return {"uri": quote(relative), "uriBaseId": _BASE}
        return {"uri": file.as_uri()}

    def _fingerprint(self, diagnostic: Diagnostic) -> str:
        """The same for the same finding when lines above it come or go."""
        part = self._view.part(diagnostic.place)
        row, _ = self._view.position(diagnostic.place)
        line = "" if part is None else " ".join(part.source.line(row).split())
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
                "replacements": list(self._replacements(path, group)),
            }
            for path, group in by_file(edits)
        ]
        return [{"description": {"text": diagnostic.fix.message}, "artifactChanges": changes}]

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


def _rule(name: str) -> Object:
    summary = rule_docs.summaries()[name]
    page = rule_docs.load(name).body.strip()
    address = rule_docs.url(name)
    return {
        "id": summary.code,
        "name": name,
        "shortDescription": {"text": summary.summary},
        "fullDescription": {"text": summary.summary},
        **({} if address is None else {"helpUri": address}),
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[summary.severity]},
    }
