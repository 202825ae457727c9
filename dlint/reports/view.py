"""What all formats need to know of a run: texts, positions, names of files, lowered fixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dlint.findings.controls import in_one_line
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.edits import Edit
from dlint.findings.places import Place
from dlint.reports.measured import Measurement, Measurements
from dlint.workspace.reading import Sources
from dlint.workspace.source import Part, Source, UnreadableError
from dlint.workspace.spelling import prefix


@dataclass(slots=True)
class View:
    """How one run's findings are looked at."""

    sources: Sources
    directory: Path
    """What shown paths are relative to."""
    applicable: frozenset[Applicability]
    """Fixes that `--fix` would apply under the flags of this run."""
    colour: bool = False
    links: bool = False
    """Whether codes of rules lead to their pages."""
    width: int | None = None
    """Columns of the terminal that the report is shown on; None for anything else."""
    failing: frozenset[Severity] = frozenset(Severity)
    """Severities that make the run fail."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How much settings, comments and a baseline kept from being shown (`Hidden.counts`)."""
    notes: list[str] = field(default_factory=list)
    """What a report had to leave out."""
    _kept: Measurements = field(default_factory=Measurements)
    _lowered: dict[Diagnostic, tuple[Edit, ...] | None] = field(default_factory=dict)

    def source(self, path: str) -> Source | None:
        """The text at a path; None when it cannot be read."""
        try:
            return self.sources.get(path)
        except UnreadableError:
            return None

    def name(self, path: str) -> str:
        """A path as it is shown: relative if it lies below the directory.

        A line must not begin with two colons, since GitHub Actions would take it for a command.
        """
        name = path.removeprefix(prefix(self.directory))
        return f"./{name}" if name.startswith("::") else name

    def part(self, place: Place) -> Part | None:
        """The file or the cell in which a place begins; None when it cannot be read."""
        source = self.source(place.path)
        return None if source is None else source.part(place.start)

    def cell(self, place: Place) -> int | None:
        """The number of the notebook's cell in which a place begins; None in other files."""
        part = self.part(place)
        return None if part is None else part.cell

    def position(self, place: Place) -> tuple[int, int]:
        """Row and column, from 1, of the start of a place in its file or cell."""
        return self._position(place, place.start)

    def end_position(self, place: Place) -> tuple[int, int]:
        """Row and column, from 1, behind the end of a place in its file or cell."""
        return self._position(place, place.end)

    def where(self, place: Place) -> str:
        """`path:row:column`, with the cell in a notebook."""
        row, column = self.position(place)
        cell = self.cell(place)
        inside = "" if cell is None else f":cell {cell}"
        return f"{in_one_line(self.name(place.path))}{inside}:{row}:{column}"

    def physical(self, place: Place) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where a place begins and ends in the file as it is on disk."""
        source = self.source(place.path)
        if source is None:
            return (1, 1), (1, 1)
        return source.physical(place.start), source.physical(place.end)

    def edits(self, diagnostic: Diagnostic) -> tuple[Edit, ...] | None:
        """The edits of a finding's fix; None when there is none, or it cannot be done here."""
        if diagnostic.fix is None:
            return None
        if diagnostic not in self._lowered:
            from dlint.fixes.lowering import lower

            self._lowered[diagnostic] = lower(diagnostic.fix, self.sources)
        return self._lowered[diagnostic]

    def measured(self, diagnostic: Diagnostic) -> list[Measurement]:
        """What `dlint verify` found out here about the fix of a finding."""
        source = self.source(diagnostic.place.path)
        if source is None:
            return []
        row, _ = source.position(diagnostic.place.start)
        return self._kept.of(diagnostic.name, diagnostic.place.path, source.line(row))

    def is_fixable(self, diagnostic: Diagnostic) -> bool:
        """Whether `--fix` would fix the finding."""
        fix = diagnostic.fix
        is_applicable = fix is not None and fix.applicability in self.applicable
        return is_applicable and self.edits(diagnostic) is not None

    def _position(self, place: Place, offset: int) -> tuple[int, int]:
        part = self.part(place)
        if part is None:
            return 1, 1
        return part.source.position(min(offset - part.start, len(part.source.text)))
