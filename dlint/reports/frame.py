"""Code in a numbered frame with a place in it underlined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dlint.findings.places import Span
from dlint.reports import cells
from dlint.reports.palette import Palette
from dlint.workspace.source import Source

_MOST_ROWS = 40
_HEAD, _TAIL = 4, 2

Style = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Frame:
    """Draws places of one source; all frames of a finding share the width of their gutter."""

    source: Source
    gutter: int
    """Digits of the largest row shown."""
    palette: Palette
    width: int = cells.MOST_CELLS
    """Cells of a line of code."""

    def draw(
        self, span: Span, mark: Style, context: int = 2, around: Span | None = None
    ) -> Iterator[str]:
        """The lines of the frame; `mark` styles what points at the place.

        What the place is a part of, `around`, is shown with it.
        """
        top, bottom = rows(self.source, span)
        yield self._edge()
        first, last = self._context(*self._whole(top, bottom, around), context)
        if top == bottom:
            yield from self._single(span, (first, top, last), mark)
        else:
            yield from self._several(span, (first, last), mark)
        yield self._edge()

    def numbered(self, number: int | None, text: str) -> str:
        """One line of a frame behind its number, or behind none."""
        digits = "" if number is None else str(number)
        return f"{self.palette.frame(f'{digits:>{self.gutter}} |')} {text}".rstrip()

    def _edge(self) -> str:
        return self.palette.frame(" " * self.gutter + " |")

    def _whole(self, top: int, bottom: int, around: Span | None) -> tuple[int, int]:
        outer = (top, bottom) if around is None else rows(self.source, around)
        return outer if outer[1] - outer[0] < _MOST_ROWS else (top, bottom)

    def _context(self, top: int, bottom: int, context: int) -> tuple[int, int]:
        """First and last row to show; blank lines at the edges are left out."""
        first, last = max(1, top - context), min(self.source.row_count, bottom + context)
        while first < top and not self.source.line(first).strip():
            first += 1
        while last > bottom and not self.source.line(last).strip():
            last -= 1
        return first, last

    def _single(self, span: Span, shown: tuple[int, int, int], mark: Style) -> Iterator[str]:
        first, row, last = shown
        line = cells.line(self.source.line(row))
        begin = self.source.line_starts[row - 1]
        start = line.cell(span[0] - begin)
        end = max(line.cell(min(span[1] - begin, len(line.shown))), start + 1)
        cut = cells.first_cell(start, end, self.width)
        for number in range(first, last + 1):
            yield self.numbered(number, self._line(number, cut))
            if number == row:
                start, end = cells.visible(start, end, cut, self.width)
                yield self.numbered(None, " " * start + mark("^" * (end - start)))

    def _several(self, span: Span, shown: tuple[int, int], mark: Style) -> Iterator[str]:
        """A place of several rows: a line runs down beside them from its start to its end."""
        top, bottom = rows(self.source, span)
        from_blank = not self.source.text[self.source.line_starts[top - 1] : span[0]].strip()
        for number in _kept(shown, top, bottom):
            if number is None:
                yield self.palette.frame("...".ljust(self.gutter + 2)) + " " + mark("|")
                continue
            beside = top < number <= bottom or (number == top and from_blank)
            bar = mark("/" if number == top else "|") if beside else " "
            yield self.numbered(number, f"{bar} {self._line(number)}")
            if number == top and not from_blank:
                yield self.numbered(None, mark(f" {'_' * (self._cell(span[0]) + 1)}^"))
        last = self._cell(max(span[0], _end(self.source, span) - 1))
        yield from self._closing(bottom, shown[1], last, mark)

    def _closing(self, bottom: int, last_row: int, cell: int, mark: Style) -> Iterator[str]:
        yield self.numbered(None, mark(f"|{'_' * (cell + 1)}^"))
        for number in range(bottom + 1, last_row + 1):
            yield self.numbered(number, f"  {self._line(number)}")

    def _line(self, number: int, first_cell: int = 0) -> str:
        return cells.line(self.source.line(number)).text(first_cell, self.width)

    def _cell(self, offset: int) -> int:
        row, column = self.source.position(offset)
        return min(cells.line(self.source.line(row)).cell(column - 1), self.width)


def rows(source: Source, span: Span) -> tuple[int, int]:
    """First and last row of a place; a newline at its very end opens no further row."""
    return source.position(span[0])[0], source.position(_end(source, span))[0]


def _end(source: Source, span: Span) -> int:
    trailing = len(source.text[span[0] : span[1]]) - len(
        source.text[span[0] : span[1]].rstrip("\r\n")
    )
    return span[1] - trailing


def _kept(shown: tuple[int, int], top: int, bottom: int) -> Iterator[int | None]:
    """The rows to show down to the place's last; None stands for those left out."""
    for number in range(shown[0], bottom + 1):
        if bottom - top < _MOST_ROWS or number < top + _HEAD or number > bottom - _TAIL:
            yield number
        elif number == top + _HEAD:
            yield None
