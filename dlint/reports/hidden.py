"""What a run leaves out of its report, counted: nothing is silent without a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

COMMENTS = "suppressed by comments"
PER_FILE = "by `per-file-ignores`"
BASELINE = "in the baseline"
UNCHANGED = "on lines that did not change"
SEVERITY = "made information by `severity`"
_KEYS = {
    COMMENTS: "comments",
    PER_FILE: "per-file-ignores",
    SEVERITY: "severity",
    BASELINE: "baseline",
    UNCHANGED: "unchanged-lines",
}
"""The reasons in the order in which they are told, and what programs know them by."""


class Hidden:
    """How many findings were not shown, by the reason; and what settings kept from being checked.

    What the command line leaves out is no part of it: who starts dlint knows of that.
    """

    def __init__(self, excluded: Iterable[str] = ()) -> None:
        self.findings: Counter[str] = Counter()
        self.excluded = frozenset(excluded)
        """Files and folders that the settings exclude."""
        self.rules_off: set[str] = set()
        """Rules that would run but for the settings."""

    def counts(self) -> dict[str, int]:
        """The same for programs: findings by what hides them, excluded paths, rules turned off."""
        counts = {key: self.findings[reason] for reason, key in _KEYS.items()}
        counts |= {"excluded-paths": len(self.excluded), "rules-off": len(self.rules_off)}
        return {key: count for key, count in counts.items() if count}

    def in_words(self) -> str:
        """A line for the findings, and one for what was not checked; none where that is nothing."""
        return self._findings() + self._unchecked()

    def _findings(self) -> str:
        total = self.findings.total()
        if not total:
            return ""
        from dlint.findings.words import counted

        counts = ((self.findings[reason], reason) for reason in _KEYS)
        parts = [f"{count} {reason}" for count, reason in counts if count]
        return f"Not shown: {counted(total, 'finding')} ({', '.join(parts)}).\n"

    def _unchecked(self) -> str:
        if not self.excluded and not self.rules_off:
            return ""
        from dlint.findings.words import counted

        counts = {"path": len(self.excluded), "rule": len(self.rules_off)}
        parts = [counted(number, what) for what, number in counts.items() if number]
        return f"Left out by the settings: {' and '.join(parts)}.\n"
