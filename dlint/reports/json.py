"""Findings as a JSON array; other tools read it, so its shape only grows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.edits import Edit
from dlint.findings.places import Place
from dlint.reports import measure
from dlint.reports.measured import Measurement
from dlint.reports.view import View

Object = dict[str, object]


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """The array; `[]` when there is no finding."""
    return json.dumps([finding(view, d) for d in diagnostics], indent=2) + "\n"


def finding(view: View, diagnostic: Diagnostic) -> Object:
    """One finding, its places counted from 1."""
    commands = measure.commands(view, diagnostic)
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "filename": diagnostic.place.path,
        "location": _point(view.position(diagnostic.place)),
        "end_location": _point(view.end_position(diagnostic.place)),
        "cell": view.cell(diagnostic.place),
        "argument": _argument(view, diagnostic),
        "url": rule_docs.url(diagnostic.name),
        "related": [
            {
                "filename": related.place.path,
                "cell": view.cell(related.place),
                "location": _point(view.position(related.place)),
                "message": related.message,
            }
            for related in diagnostic.related
        ],
        "fix": _fix(view, diagnostic),
        "measure": next(iter(commands), None),
        "measured": [_measured(found) for found in view.measured(diagnostic)],
        "measure_by": commands,
    }


def _argument(view: View, diagnostic: Diagnostic) -> Object | None:
    """The argument at fault, within the call at the finding's own place."""
    place = diagnostic.argument
    if place is None:
        return None
    return {
        "cell": view.cell(place),
        "location": _point(view.position(place)),
        "end_location": _point(view.end_position(place)),
    }


def _measured(found: Measurement) -> Object:
    return {name: value for name, value in found._asdict().items() if name != "places"}


def _fix(view: View, diagnostic: Diagnostic) -> Object | None:
    edits = view.edits(diagnostic)
    if diagnostic.fix is None or edits is None:
        return None
    return {
        "applicability": diagnostic.fix.applicability.value,
        "message": diagnostic.fix.message,
        "edits": [_edit(view, edit) for edit in edits],
    }


def _edit(view: View, edit: Edit) -> Object:
    place = Place(edit.path, edit.start, edit.end)
    return {
        "filename": edit.path,
        "cell": view.cell(place),
        "content": edit.text,
        "location": _point(view.position(place)),
        "end_location": _point(view.end_position(place)),
    }


def _point(position: tuple[int, int]) -> Object:
    row, column = position
    return {"row": row, "column": column}
