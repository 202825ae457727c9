"""The checks: one function a rule, from the program to its findings.

A rule's page in `rules/` owns its code, prose and examples; the module here owns how it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.diagnostic import Diagnostic, Fix, Related, Severity
from dlint.places import Place

if TYPE_CHECKING:
    from dlint.domain.program import Program


class Finding(NamedTuple):
    """What a check yields; the engine adds the rule's name and code."""

    severity: Severity
    message: str
    place: Place
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    def diagnostic(self, name: str, code: str) -> Diagnostic:
        """This finding as a diagnostic of the rule."""
        return Diagnostic(
            code, name, self.severity, self.message, self.place, self.related, self.fix
        )


Check = Callable[["Program"], Iterator[Finding]]

CHECKS = tuple(
    sorted(path.stem.replace("_", "-") for path in Path(__file__).parent.glob("[a-z]*.py"))
)
"""Names of the rules that a check stands behind; the module is named after the rule."""


def load(name: str) -> Check:
    """The check of a rule, imported when it is first needed."""
    module = import_module(f"dlint.checks.{name.replace('-', '_')}")
    check: Check = module.check
    return check
