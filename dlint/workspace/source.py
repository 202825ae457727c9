"""The text of one file, and the map from offsets to what the user sees."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.findings.regexes import lazily

if TYPE_CHECKING:
    from dlint.findings.edits import Edit
    from dlint.findings.places import Place

MOST_BYTES = 20_000_000
"""The size from which a notebook is not read."""
_LINE_END = lazily(r"\r\n|\r|\n")


class UnreadableError(Exception):
    """A file that cannot be read or decoded; the message says why."""


class FileProblem(NamedTuple):
    """Why a file is no module: its text is not Python, or, unless `is_read`, there is no text."""

    place: Place
    message: str
    is_read: bool


class Part(NamedTuple):
    """What a user sees as one text: a whole file, or one cell of a notebook."""

    source: Source
    start: int
    """Where it begins in the text of the file."""
    cell: int | None
    """The number of the cell, counted from 1 over all cells."""


class Source:
    """Decoded text with its newlines as they stand on disk; a byte order mark is kept apart."""

    def __init__(
        self,
        path: str,
        text: str | None,
        encoding: str = "utf-8",
        bom: bool = False,
        raw: bytes | None = None,
        searchable: bytes | None = None,
    ) -> None:
        """Without a text, it is what `searchable` holds, which is ASCII."""
        self.path = path
        if text is not None:
            self.text = text
        self.encoding = encoding
        self.bom = bom
        self.raw = raw
        """The bytes on disk when the file was read; None for text that never was a file."""
        self._searchable = searchable
        self.kept: dict[object, Any] = {}
        """What was made of this text alone, by what it is: for who reads the same text again."""

    @cached_property
    def text(self) -> str:
        """All characters; most files are only searched as bytes, and nobody asks for these."""
        return self.passing_text

    @property
    def passing_text(self) -> str:
        """The text for one look at it, after which nobody holds it."""
        known: str | None = self.__dict__.get("text")
        return self.searchable.decode("ascii") if known is None else known

    def with_text(self, text: str) -> Source:
        """The same file with another text, which is not on disk yet."""
        return Source(self.path, text, self.encoding, self.bom, self.raw)

    @property
    def notices(self) -> tuple[str, ...]:
        """What of the file was left out, and why."""
        return ()

    def part(self, offset: int) -> Part:
        """What the user sees as one text around an offset."""
        del offset
        return Part(self, 0, None)

    def parts(self) -> Iterator[Part]:
        """All that the user sees as texts of their own, in order."""
        yield self.part(0)

    def failed_at(self, offset: int) -> bool:
        """Whether the code around an offset is kept with an error that it raised."""
        del offset
        return False

    @property
    def printed(self) -> dict[int, str]:
        """What running the code printed, by the cells of which that is kept with it."""
        return {}

    def holds(self, text: str) -> bool:
        """Whether a text can be written in place of this one."""
        del text
        return True

    def settled(self, edits: Iterable[Edit]) -> list[Edit] | None:
        """The edits as this text takes them; None if it cannot."""
        return list(edits)

    def document(self, text: str) -> str:
        """The whole file as it is with another text."""
        return f"\ufeff{text}" if self.bom else text

    @property
    def file(self) -> Source:
        """The whole file as a text."""
        return self

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits as those of the whole file."""
        return list(edits)

    def physical(self, offset: int) -> tuple[int, int]:
        """Row and column of a character in the whole file."""
        return self.position(offset)

    @cached_property
    def searchable(self) -> bytes:
        """The text as bytes, for searches: ASCII stands for itself."""
        if self._searchable is not None:
            return self._searchable
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        return [0, *(m.end() for m in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Row and column, both counted from 1, columns in characters."""
        row = bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1

    def offset(self, row: int, column: int) -> int:
        """The offset of a row and column counted from 1."""
        return self.line_starts[row - 1] + column - 1

    def line(self, row: int) -> str:
        """The text of a row (counted from 1) without its newline."""
        start = self.line_starts[row - 1]
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def row_count(self) -> int:
        """Rows of the text; a trailing newline opens no further row."""
        count = len(self.line_starts)
        return count - 1 if count > 1 and self.line_starts[-1] == len(self.text) else count

    @property
    def newline(self) -> str:
        """The newline the file uses first, `\\n` when it has none."""
        found = _LINE_END.search(self.text)
        return found[0] if found else "\n"

    def encode(self, text: str) -> bytes:
        """The bytes of the file with another text."""
        return self.document(text).encode(self.encoding)
