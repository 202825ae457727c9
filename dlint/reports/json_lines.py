"""Findings as JSON, one a line: for `jq`, logs, and readers that do not wait for the end."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dlint.findings.diagnostic import Diagnostic
from dlint.reports.json import finding
from dlint.reports.view import View


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """The objects of the format `json`, each in a line of its own; nothing without findings."""
    return "".join(json.dumps(finding(view, diagnostic)) + "\n" for diagnostic in diagnostics)
