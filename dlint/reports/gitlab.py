"""The report of code quality that GitLab shows in merge requests."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.reports.identity import Identities
from dlint.reports.view import View

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """The array that GitLab reads; `[]` when there is no finding."""
    identities = Identities(view)
    return json.dumps([_issue(view, identities, d) for d in diagnostics], indent=2) + "\n"


def _issue(view: View, identities: Identities, diagnostic: Diagnostic) -> dict[str, object]:
    (row, column), (end_row, end_column) = view.physical(diagnostic.place)
    return {
        "type": "issue",
        "check_name": diagnostic.name,
        "description": f"{diagnostic.code} {diagnostic.message}",
        "categories": ["Bug Risk" if diagnostic.severity is Severity.ERROR else "Performance"],
        "severity": _SEVERITIES[diagnostic.severity],
        "fingerprint": identities.fingerprint(diagnostic),
        "location": {
            "path": identities.path(diagnostic.place.path),
            "positions": {
                "begin": {"line": row, "column": column},
                "end": {"line": end_row, "column": end_column},
            },
        },
    }
