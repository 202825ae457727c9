"""What a report has shown of a file already, and need not show again."""

from __future__ import annotations

from dlint.workspace.source import Part

Rows = tuple[int, int]
"""First and last row."""


class Shown:
    """The rows shown since the findings of another file began: a reader has them in sight."""

    def __init__(self) -> None:
        self._file = ""
        self._rows: set[tuple[str, int, int]] = set()

    def begin(self, path: str) -> None:
        """A finding in a file; that of another file begins anew."""
        if path != self._file:
            self._file = path
            self._rows.clear()

    def add(self, part: Part, rows: Rows) -> None:
        """These rows of a file, or of a cell, are shown."""
        self._rows |= self._keys(part, rows)

    def holds(self, part: Part, rows: Rows) -> bool:
        """Whether all these rows have been shown."""
        return self._keys(part, rows) <= self._rows

    def _keys(self, part: Part, rows: Rows) -> set[tuple[str, int, int]]:
        first, last = rows
        return {(part.source.path, part.start, row) for row in range(first, last + 1)}
