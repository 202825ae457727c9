"""Lines and columns as an editor counts them: the one home of the protocol's positions.

dlint counts rows and columns from 1, columns in characters. The protocol counts both from 0, and
columns in units of UTF-8, UTF-16 or UTF-32, as client and server agree.
"""

from __future__ import annotations

from lsprotocol.types import Position, Range
from pygls.workspace.position_codec import PositionCodec

from dlint.workspace.source import Source


class Positions:
    """Converts for one client."""

    def __init__(self, codec: PositionCodec) -> None:
        self._codec = codec

    def position(self, source: Source, row: int, column: int) -> Position:
        """The position of a row and column of a text."""
        before = source.line(row)[: column - 1]
        return Position(row - 1, self._codec.client_num_units(before))

    def range(self, source: Source, start: int, end: int) -> Range:
        """The range between two offsets of a text."""
        begin, behind = source.position(start), source.position(end)
        return Range(self.position(source, *begin), self.position(source, *behind))

    def offset(self, source: Source, position: Position) -> int:
        """The offset of a position; of one behind the end of its line or of the text, that end."""
        if position.line >= len(source.line_starts):
            return len(source.text)
        line = source.line(position.line + 1)
        return source.line_starts[position.line] + self._column(line, position.character)

    def _column(self, line: str, units: int) -> int:
        """How many characters of a line the units are."""
        if line.isascii():
            return min(units, len(line))
        passed = 0
        for column, character in enumerate(line):
            if passed >= units:
                return column
            passed += self._codec.client_num_units(character)
        return len(line)
