"""Lines of code as a terminal shows them: tabs, wide and invisible characters take their cells."""

from __future__ import annotations

from dataclasses import dataclass

_TAB = 4
MOST_CELLS = 160
_LEAD = 40
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Line:
    """The characters of a line as they are shown, one text for each character of the source."""

    shown: tuple[str, ...]
    columns: tuple[int, ...]
    """The first cell (from 0) of each character, and the cell behind the last."""

    def text(self, first_cell: int = 0, width: int = MOST_CELLS) -> str:
        """The line from a cell on, cut where it gets too long."""
        kept: list[str] = []
        for text, column in zip(self.shown, self.columns, strict=False):
            if column >= first_cell + width:
                return _led("".join(kept), first_cell) + _CUT
            if column >= first_cell:
                kept.append(text)
        return _led("".join(kept), first_cell).rstrip()

    def cell(self, index: int) -> int:
        """The cell of the character at an index; behind the line's end, one cell on."""
        last = len(self.columns) - 1
        return self.columns[index] if index <= last else self.columns[last] + 1


def line(text: str) -> Line:
    """Lay out a line without its newline."""
    shown = []
    columns = [0]
    for character in text:
        image, width = _image(character)
        shown.append(image)
        columns.append(columns[-1] + width)
    return Line(tuple(shown), tuple(columns))


def first_cell(start: int, end: int, width: int = MOST_CELLS) -> int:
    """Where to begin to show lines so that the cells `start` to `end` are seen."""
    return 0 if end <= width else max(0, start - min(_LEAD, width // 4))


def visible(start: int, end: int, first: int, width: int = MOST_CELLS) -> tuple[int, int]:
    """Cells as counted from the first one shown, within what is shown of a line."""
    return start - first, min(end - first, width)


def _led(text: str, first: int) -> str:
    return _CUT + text[1:] if first else text


def _image(character: str) -> tuple[str, int]:
    """How a character is shown and how many cells that takes."""
    if " " <= character <= "~":
        return character, 1
    if character == "\t":
        return " " * _TAB, _TAB
    return _unusual(character)


def _unusual(character: str) -> tuple[str, int]:
    import unicodedata

    category = unicodedata.category(character)
    if category in {"Mn", "Me"}:
        return character, 0
    if category[0] == "C" or category in {"Zl", "Zp"}:
        return "\N{REPLACEMENT CHARACTER}", 1
    return character, 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
