"""Findings as an editor takes them."""

from __future__ import annotations

from lsprotocol.types import (
    CodeDescription,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
)
from lsprotocol.types import Diagnostic as Shown

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.server.sheets import Sheets

SOURCE = "dlint"
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.INFO: DiagnosticSeverity.Information,
}
_TAGS = {
    "unused-suppression": DiagnosticTag.Unnecessary,
    "deprecated-pin-memory-device": DiagnosticTag.Deprecated,
    "removed-api": DiagnosticTag.Deprecated,
}
"""What editors grey out, and what they strike through."""


def shown(diagnostic: Diagnostic, sheets: Sheets) -> tuple[str, Shown]:
    """A finding, and the address of the text that it stands in.

    Where an argument is at fault, that is underlined and not the whole call.
    """
    location = sheets.location(diagnostic.argument or diagnostic.place)
    address = rule_docs.url(diagnostic.name)
    tag = _TAGS.get(diagnostic.name)
    return location.uri, Shown(
        location.range,
        diagnostic.message,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=None if address is None else CodeDescription(address),
        source=SOURCE,
        tags=None if tag is None else [tag],
        related_information=[
            DiagnosticRelatedInformation(sheets.location(related.place), related.message)
            for related in diagnostic.related
        ],
        data={"rule": diagnostic.name},
    )
