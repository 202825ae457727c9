"""What GitHub takes of a SARIF file; a file beyond any of these limits is refused as a whole.

See https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
(results, locations) and the notes on uploads there (size).
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence

from dlint.findings.diagnostic import Diagnostic, Severity

MOST_RESULTS = 25_000
"""Results of one run. GitHub shows 5,000 of them, the gravest first."""
MOST_LOCATIONS = 1_000
"""Locations of one result."""
MOST_BYTES = 10_000_000
"""Bytes of a file that is compressed by gzip, as it is uploaded."""
_ORDER = {severity: number for number, severity in enumerate(Severity)}


def gravest(diagnostics: Sequence[Diagnostic], most: int) -> list[Diagnostic]:
    """The `most` gravest findings, in the order that they were in."""
    if len(diagnostics) <= most:
        return list(diagnostics)
    ranked = sorted(range(len(diagnostics)), key=lambda i: _ORDER[diagnostics[i].severity])
    return [diagnostics[i] for i in sorted(ranked[:most])]


def is_too_large(text: str) -> bool:
    """Whether a file with this text, which is ASCII, would be refused for its size."""
    if len(text) <= MOST_BYTES:
        return False
    return len(gzip.compress(text.encode("ascii"), mtime=0)) > MOST_BYTES


def left_out(total: int, kept: int) -> str:
    """What is said of findings that were left out."""
    return (
        f"{total - kept} of {total} findings are left out of the SARIF report, the least severe "
        "first: GitHub refuses larger files; check parts of the project in runs of their own"
    )
