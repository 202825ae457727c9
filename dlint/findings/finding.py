"""What a rule yields."""

from __future__ import annotations

from typing import NamedTuple

from dlint.findings.diagnostic import Diagnostic, Fix, Related, Severity
from dlint.findings.places import Place


class Finding(NamedTuple):
    """What a check yields; the engine adds the rule's name and code."""

    severity: Severity
    message: str
    place: Place
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    argument: Place | None = None
    """Of a finding about a call, the argument of it that is at fault: that is underlined."""
    needs: tuple[str, ...] = ()
    """Facts of `library_facts.torch_versions` without which it is not true."""

    def diagnostic(self, name: str, code: str) -> Diagnostic:
        """This finding as a diagnostic of the rule."""
        return Diagnostic(
            code,
            name,
            self.severity,
            self.message,
            self.place,
            self.related,
            self.fix,
            argument=self.argument if self._holds(self.argument) else None,
        )

    def _holds(self, part: Place | None) -> bool:
        """Whether the place of the finding has this one in it: a call in another file has not."""
        if part is None or part.path != self.place.path:
            return False
        return self.place.start <= part.start and part.end <= self.place.end
