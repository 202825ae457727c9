"""The JSON text of a notebook: where its code cells stand, and how to change those alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from dlint.findings.places import Span
from dlint.findings.regexes import lazily

_BLANKS = lazily(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_CHARACTER = lazily(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]"
)
_LINE = lazily(r"[^\n]*\n|[^\n]+")

_COLOURS = lazily(r"\x1b\[[0-9;]*m")
"""How terminals are told colours, in tracebacks."""


class NotANotebookError(ValueError):
    """A text that is no notebook; the message says why."""


class Piece(NamedTuple):
    """One string of a cell's source as it stands in the document, quotes included."""

    text: str
    raw: str
    start: int


class CodeCell(NamedTuple):
    """One code cell: its number among all cells, counted from 1, and where its source stands."""

    number: int
    span: Span
    pieces: tuple[Piece, ...]
    """The strings whose texts make the source; one where it is no list."""

    @property
    def source(self) -> str:
        """The code."""
        return "".join(piece.text for piece in self.pieces)


class Document:
    """A notebook file. Raises NotANotebookError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.format: object = None
        """`nbformat`; 3 and below keep their cells in `worksheets`, which are not looked into."""
        self.metadata: object = None
        self.code_cells: list[CodeCell] = []
        try:
            self._read()
        except (ValueError, IndexError, RecursionError) as error:
            raise NotANotebookError(f"not a Jupyter notebook: {error}") from error

    @property
    def is_python(self) -> bool:
        """Whether its code is Python, or nothing says what it is."""
        metadata = self.metadata if isinstance(self.metadata, dict) else {}
        named = [metadata.get("language_info"), metadata.get("kernelspec")]
        tables = [table for table in named if isinstance(table, dict)]
        found = [t.get("name") if t is named[0] else t.get("language") for t in tables]
        languages = [name.lower() for name in found if isinstance(name, str)]
        return not languages or "python" in languages[0]

    @property
    def failed_cells(self) -> frozenset[int]:
        """The numbers of the cells whose kept output is an error, unless somebody interrupted."""
        cells = json.loads(self.text)["cells"]
        return frozenset(number for number, cell in enumerate(cells, 1) if _has_failed(cell))

    @property
    def printed(self) -> dict[int, str]:
        """What cells printed, returned or raised when they were last run, by their numbers."""
        cells = json.loads(self.text)["cells"]
        found = {number: "".join(_printed(cell)) for number, cell in enumerate(cells, 1)}
        return {number: text for number, text in found.items() if text}

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """The document with other sources for the cells of these numbers.

        Nothing else changes, and of those sources only the characters that differ.
        """
        parts: list[str] = []
        position = 0
        for start, end, text in self.replacements(sources):
            parts += self.text[position:start], text
            position = end
        return "".join([*parts, self.text[position:]])

    def replacements(self, sources: Mapping[int, str]) -> Iterator[tuple[int, int, str]]:
        """What is to be put in place of which characters, in order."""
        for cell in self.code_cells:
            if sources.get(cell.number, cell.source) != cell.source:
                start, end = cell.span
                new = self._source(cell, sources[cell.number])
                head, tail = _shared(self.text[start:end], new)
                yield start + head, end - tail, new[head : len(new) - tail]

    def offset(self, cell: CodeCell, index: int) -> int:
        """Where the character of a cell's source at an index stands in the document."""
        for piece in cell.pieces:
            if index < len(piece.text):
                return piece.start + 1 + sum(map(len, _characters(piece.raw)[:index]))
            index -= len(piece.text)
        last = cell.pieces[-1] if cell.pieces else None
        return cell.span[0] if last is None else last.start + len(last.raw) - 1

    def _read(self) -> None:
        for key, at in self._members(self._skip(0)):
            if key == "cells":
                for number, start in enumerate(self._items(at), 1):
                    self._read_cell(number, start)
            elif key == "nbformat":
                self.format = _DECODER.raw_decode(self.text, at)[0]
            elif key == "metadata":
                self.metadata = _DECODER.raw_decode(self.text, at)[0]

    def _read_cell(self, number: int, start: int) -> None:
        kind, source = "", None
        for key, at in self._members(start):
            if key == "cell_type":
                kind = _DECODER.raw_decode(self.text, at)[0]
            elif key == "source":
                source = at
        if kind == "code" and source is not None:
            is_list = self.text[source] == "["
            starts = list(self._items(source)) if is_list else [source]
            pieces = tuple(map(self._piece, starts))
            self.code_cells.append(CodeCell(number, (source, self._end(source)), pieces))

    def _piece(self, start: int) -> Piece:
        if self.text[start] != '"':
            raise NotANotebookError("the source of a cell is no text")
        text, end = _DECODER.raw_decode(self.text, start)
        return Piece(text, self.text[start:end], start)

    def _members(self, start: int) -> Iterator[tuple[str, int]]:
        """The keys of the object at an offset, each with the offset of its value."""
        self._expect("{", start)
        position = self._skip(start + 1)
        while self.text[position] != "}":
            self._expect('"', position)
            key, position = _DECODER.raw_decode(self.text, position)
            position = self._skip(position)
            self._expect(":", position)
            value = self._skip(position + 1)
            yield key, value
            position = self._next(value, "}")

    def _items(self, start: int) -> Iterator[int]:
        """The offsets of the items of the array at an offset."""
        self._expect("[", start)
        position = self._skip(start + 1)
        while self.text[position] != "]":
            yield position
            position = self._next(position, "]")

    def _next(self, value: int, closing: str) -> int:
        """Where the next member or item begins, or the closing bracket stands."""
        position = self._skip(self._end(value))
        if self.text[position] == closing:
            return position
        self._expect(",", position)
        return self._skip(position + 1)

    def _end(self, value: int) -> int:
        return _DECODER.raw_decode(self.text, value)[1]

    def _skip(self, position: int) -> int:
        found = _BLANKS.match(self.text, position)
        return position if found is None else found.end()

    def _expect(self, character: str, position: int) -> None:
        if self.text[position] != character:
            raise ValueError(f"expected {character!r} at character {position}")

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    def _source(self, cell: CodeCell, source: str) -> str:
        """The value that stands for the new source of a cell."""
        if self.text[cell.span[0]] != "[":
            return self._changed(cell.pieces[0], source)
        from difflib import SequenceMatcher

        before, after = [piece.text for piece in cell.pieces], _LINE.findall(source)
        written: list[str] = []
        for kind, i, j, k, m in SequenceMatcher(None, before, after, False).get_opcodes():
            old = cell.pieces[i:j]
            if kind == "equal":
                written += [piece.raw for piece in old]
                continue
            for line in after[k:m]:
                nearest = max(old, key=lambda piece: sum(_shared(piece.text, line)), default=None)
                written.append(self._changed(nearest, line))
        opening, between, closing = self._layout(cell)
        return f"[{opening}{between.join(written)}{closing}]" if written else "[]"

    def _layout(self, cell: CodeCell) -> tuple[str, str, str]:
        """What stands before, between and behind the strings of a list."""
        start, end = cell.span
        if not cell.pieces:
            return "", ", ", ""
        first, last = cell.pieces[0], cell.pieces[-1]
        opening = self.text[start + 1 : first.start]
        closing = self.text[last.start + len(last.raw) : end - 1]
        if len(cell.pieces) == 1:
            return opening, f",{opening or ' '}", closing
        second = cell.pieces[1]
        return opening, self.text[first.start + len(first.raw) : second.start], closing

    def _changed(self, piece: Piece | None, text: str) -> str:
        """A string with another text, which keeps how the characters it shares are written."""
        raw, old = ([], "") if piece is None else (_characters(piece.raw), piece.text)
        if len(raw) != len(old):
            raw, old = [], ""
        head, tail = _shared(old, text)
        middle = self._encoded(text[head : len(text) - tail])
        return '"' + "".join(raw[:head]) + middle + "".join(raw[len(raw) - tail :]) + '"'

    def _encoded(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._is_ascii)[1:-1]


def _has_failed(cell: Mapping[str, object]) -> bool:
    errors = [o.get("ename") for o in _outputs(cell) if o.get("output_type") == "error"]
    return any(name != "KeyboardInterrupt" for name in errors)


def _printed(cell: Mapping[str, object]) -> Iterator[str]:
    """The plain texts of the outputs, which the format gives as one text or as lines."""
    for output in _outputs(cell):
        data = output.get("data")
        plain = data.get("text/plain") if isinstance(data, dict) else None
        for text in (output.get("text"), plain, output.get("traceback")):
            lines = text if isinstance(text, list) else [text]
            yield from (_COLOURS.sub("", f"{line}\n") for line in lines if isinstance(line, str))


def _outputs(cell: Mapping[str, object]) -> list[dict[str, object]]:
    outputs = cell.get("outputs")
    return [o for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []


def _shared(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings, and at the ends of the rest."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    return head, next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)


def _characters(raw: str) -> list[str]:
    """How each character of a string is written between its quotes."""
    return _CHARACTER.findall(raw[1:-1])
