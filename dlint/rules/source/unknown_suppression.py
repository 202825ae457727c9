"""unknown-suppression: a comment that names no rule, or that dlint cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding

if TYPE_CHECKING:
    from dlint.suppression.suppressions import Suppressions


def check(suppressions: Suppressions) -> Iterator[Finding]:
    """Comments that cannot be read, then names that no rule has or had."""
    for malformed, place in suppressions.malformed():
        yield Finding(Severity.WARNING, malformed.problem, place)
    for name, place in suppressions.unknown():
        yield Finding(Severity.WARNING, _no_such_rule(name), place)


def _no_such_rule(text: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(text.lower(), list(rule_docs.summaries()), n=1)
    guess = f", did you mean `{close[0]}`?" if close else ""
    return f"there is no rule `{text}`{guess}"
