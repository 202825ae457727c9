"""The colours of a report, as ANSI escapes."""

from __future__ import annotations

from dataclasses import dataclass

from dlint.findings.diagnostic import Severity

_SEVERITY = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}


@dataclass(frozen=True, slots=True)
class Palette:
    """Styles text, or leaves it as it is."""

    colour: bool

    def severity(self, text: str, severity: Severity) -> str:
        """What belongs to a finding of this severity."""
        return self._styled(text, _SEVERITY[severity])

    def strong(self, text: str) -> str:
        """Names and messages."""
        return self._styled(text, "1")

    def frame(self, text: str) -> str:
        """The frame around code."""
        return self._styled(text, "34")

    def hint(self, text: str) -> str:
        """Labels such as `help` and the mark of a fixable finding."""
        return self._styled(text, "1;36")

    def added(self, text: str) -> str:
        """A line that a fix puts in."""
        return self._styled(text, "32")

    def removed(self, text: str) -> str:
        """A line that a fix takes out."""
        return self._styled(text, "31")

    def _styled(self, text: str, codes: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour and text else text
