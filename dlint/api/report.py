"""What a check came to, as data for programs: positions in lines and columns, fixes as edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dlint import reports, rule_docs
from dlint.findings import edits
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.places import Place
from dlint.reports import measure
from dlint.reports.view import View
from dlint.workspace.errors import UsageError


@dataclass(frozen=True, slots=True)
class Location:
    """A range of a file, or of one cell of a notebook; lines and columns count from 1."""

    path: Path
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A text that takes the place of a range."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding: all of them are applied, or none."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A further place that a finding rests on, and what stands there."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of one rule."""

    rule: str
    code: str
    severity: Severity
    message: str
    location: Location
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    url: str | None = None
    """The page of the rule."""
    commands: tuple[str, ...] = ()
    """`dlint verify` commands that measure the fix."""
    argument: Location | None = None
    """The argument at fault, where `location` is the call that gives it."""


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a check in the order of their places, and what was left out."""

    findings: tuple[Finding, ...]
    warnings: tuple[str, ...] = ()
    """What could not be read, and which rules of other packages could not be used."""
    crashes: tuple[str, ...] = ()
    """Rules of dlint that failed, which are faults of dlint; the others ran."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How much the project keeps from being shown: findings by `comments`, `per-file-ignores`,
    `severity` and `baseline`, and how many `excluded-paths` and `rules-off` there are; what is
    nothing is not there."""
    _found: Sequence[Diagnostic] = field(default=(), repr=False, compare=False)
    _view: View | None = field(default=None, repr=False, compare=False)

    def render(self, output_format: str = "full") -> str:
        """The report as `dlint check --output-format` prints it, without its summary.

        Raises UsageError for a format that there is not.
        """
        if output_format not in reports.FORMATS:
            known = ", ".join(reports.FORMATS)
            raise UsageError(f"there is no format `{output_format}`; there are {known}")
        return "" if self._view is None else reports.load(output_format)(self._view, self._found)


def public(diagnostic: Diagnostic, view: View) -> Finding:
    """A finding as programs see it."""
    return Finding(
        rule=diagnostic.name,
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        location=_location(diagnostic.place, view),
        related=tuple(Related(_location(r.place, view), r.message) for r in diagnostic.related),
        fix=_fix(diagnostic, view),
        url=rule_docs.url(diagnostic.name),
        commands=tuple(measure.commands(view, diagnostic)),
        argument=None if diagnostic.argument is None else _location(diagnostic.argument, view),
    )


def _fix(diagnostic: Diagnostic, view: View) -> Fix | None:
    lowered = view.edits(diagnostic)
    if diagnostic.fix is None or lowered is None:
        return None
    applicability, message = diagnostic.fix.applicability, diagnostic.fix.message
    return Fix(applicability, message, tuple(_edit(one, view) for one in lowered))


def _edit(edit: edits.Edit, view: View) -> Edit:
    return Edit(_location(Place(edit.path, edit.start, edit.end), view), edit.text)


def _location(place: Place, view: View) -> Location:
    begin, end = view.position(place), view.end_position(place)
    return Location(Path(place.path), *begin, *end, view.cell(place))
