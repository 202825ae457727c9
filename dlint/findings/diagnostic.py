"""What a rule reports: plain data that reports, fixes and `verify` consume, and nothing else."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.places import Place

if TYPE_CHECKING:
    from dlint.findings.operations import Operation


class Severity(StrEnum):
    """How bad one finding is; it belongs to the finding, not only to its rule."""

    ERROR = "error"
    """The program crashes or computes something wrong."""
    WARNING = "warning"
    """The program is slow or wastes memory."""
    INFO = "info"
    """Worth measuring; shown by `--select ALL` or by naming the rule."""


class Applicability(StrEnum):
    """Who may apply a fix."""

    SAFE = "safe"
    """Cannot change what a right program computes: `--fix` applies it."""
    UNSAFE = "unsafe"
    """A person should look: `--unsafe-fixes` applies it."""
    TRIAL = "trial"
    """Only worth trying in `dlint verify`; never written by `check`."""


class Related(NamedTuple):
    """A further place that a finding rests on, and what stands there."""

    place: Place
    message: str


class Fix(NamedTuple):
    """Operations that fix one finding: all of them are applied, or none."""

    applicability: Applicability
    message: str
    operations: tuple[Operation, ...]


class Diagnostic(NamedTuple):
    """One finding of one rule."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    scripts: tuple[str, ...] = ()
    """Of a finding about speed, the scripts that run the code, as far as they are known."""
    argument: Place | None = None
    """The argument that is at fault, where the place is the call that gives it."""
