"""A notebook as one module: its code cells, joined in order, each below a line that marks it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from dlint.findings.edits import Edit, apply_edits
from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.workspace.notebooks.document import CodeCell, Document
from dlint.workspace.notebooks.magics import PLACEHOLDER, read_cell, shown
from dlint.workspace.source import Part, Source

MARK = "#\ua016\n"
"""The line above the code of each cell; no program has it."""
_MARKS = lazily(f"^{MARK}", re.M)


class _Kept(NamedTuple):
    """A cell that the module holds, and what is hidden in it, in order."""

    cell: CodeCell
    hidden: tuple[str, ...]


class _Problem(NamedTuple):
    """A cell that is left out although it should be Python."""

    number: int
    message: str


class Notebook(Source):
    """The module of a notebook. `text` is what is analysed, with magics hidden."""

    def __init__(self, path: str, document: Document, bom: bool, raw: bytes | None) -> None:
        self._document = document
        self._kept: tuple[_Kept, ...] = ()
        self._problems: tuple[_Problem, ...] = ()
        text = self._read() if document.is_python else ""
        super().__init__(path, text, "utf-8", bom, raw)
        self._first_text = text

    def with_text(self, text: str) -> Notebook:
        """The same notebook with another text, which is not on disk yet."""
        other = Notebook.__new__(Notebook)
        Source.__init__(other, self.path, text, self.encoding, self.bom, self.raw)
        other._document, other._first_text = self._document, self._first_text
        other._kept, other._problems = self._kept, self._problems
        return other

    def part(self, offset: int) -> Part:
        """The code of the cell that holds an offset."""
        if not self._spans:
            return Part(self, 0, None)
        index = self._index(offset)
        start, end = self._spans[index]
        source = Source(self.path, shown(self.text[start:end], self._kept[index].hidden))
        return Part(source, start, self._kept[index].cell.number)

    def parts(self) -> Iterator[Part]:
        """The code of each cell."""
        return map(self.part, self._starts)

    def failed_at(self, offset: int) -> bool:
        """Whether the cell that holds an offset raised an error when it was last run."""
        return self.part(offset).cell in self._failed_cells

    @property
    def printed(self) -> dict[int, str]:
        """What its cells printed when they were last run, by their numbers."""
        return self._document.printed

    @cached_property
    def _failed_cells(self) -> frozenset[int]:
        return self._document.failed_cells

    def holds(self, text: str) -> bool:
        """Whether a text still has every cell and every magic of this one."""
        pieces = [text[start:end] for start, end in _spans(text)]
        hidden = [len(kept.hidden) for kept in self._kept]
        return [len(PLACEHOLDER.findall(piece)) for piece in pieces] == hidden

    def settled(self, edits: Iterable[Edit]) -> list[Edit] | None:
        """The edits with those at the end of a cell kept inside it; None if one leaves it."""
        found = []
        for edit in edits:
            start, end = self._spans[self._index(edit.start)]
            if edit.start < start:
                return None
            if edit.end <= end:
                found.append(edit)
            elif edit.end == end + 1 and edit.start == edit.end:
                text = "\n" + edit.text.removesuffix("\n")
                found.append(Edit(edit.path, end, end, text))
            elif edit.end == end + 1:
                found.append(Edit(edit.path, edit.start, end, edit.text.removesuffix("\n")))
            else:
                return None
        return found

    def document(self, text: str) -> str:
        """The file as it is with another text of the module."""
        if text == self._first_text:
            return super().document(self._document.text)
        return super().document(self._document.with_sources(dict(self._changed(text))))

    @cached_property
    def file(self) -> Source:
        """The JSON text."""
        return Source(self.path, self._written.text)

    def in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits as those of the JSON text."""
        changed = dict(self._changed(apply_edits(self.text, edits)))
        return [Edit(self.path, *one) for one in self._written.replacements(changed)]

    def physical(self, offset: int) -> tuple[int, int]:
        """Row and column in the JSON text."""
        if not self._spans:
            return 1, 1
        index = self._index(offset)
        start, end = self._spans[index]
        number = self._kept[index].cell.number
        cell = next(cell for cell in self._written.code_cells if cell.number == number)
        return self.file.position(self._written.offset(cell, min(offset, end) - start))

    @property
    def notices(self) -> tuple[str, ...]:
        """What was left out of the module, and why."""
        if self._document.code_cells or not isinstance(self._document.format, int):
            return tuple(self._problem_notices())
        old = self._document.format < 4
        return (f"notebooks of format {self._document.format} are not read",) if old else ()

    def _read(self) -> str:
        kept, problems, pieces = [], [], []
        for cell in self._document.code_cells:
            source = cell.source
            read = read_cell(source)
            if read.text is not None and MARK not in source:
                spans = (found.span() for found in PLACEHOLDER.finditer(read.text))
                kept.append(_Kept(cell, tuple(source[start:end] for start, end in spans)))
                pieces.append(read.text)
            elif read.problem is not None:
                problems.append(_Problem(cell.number, read.problem))
        self._kept, self._problems = tuple(kept), tuple(problems)
        return "".join(f"{MARK}{piece}\n" for piece in pieces)

    def _problem_notices(self) -> Iterator[str]:
        if self._problems:
            cells = ", ".join(f"{p.number} ({p.message})" for p in self._problems[:3])
            more = len(self._problems) - 3
            rest = f" and {more} more" if more > 0 else ""
            one = len(self._problems) == 1
            what = "cell" if one else "cells"
            yield f"left out {what} {cells}{rest}: {'it is' if one else 'they are'} no Python"

    def _changed(self, text: str) -> Iterator[tuple[int, str]]:
        """The cells whose source is another one in a text, by number."""
        for kept, (start, end) in zip(self._kept, _spans(text), strict=True):
            source = shown(text[start:end], kept.hidden)
            if source != kept.cell.source:
                yield kept.cell.number, source

    @cached_property
    def _spans(self) -> list[Span]:
        return _spans(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._spans]

    @cached_property
    def _written(self) -> Document:
        """The document that holds the text."""
        if self.text == self._first_text:
            return self._document
        return Document(self.document(self.text).removeprefix("\ufeff"))

    def _index(self, offset: int) -> int:
        """The cell that holds an offset; the line that marks a cell belongs to the one before."""
        return max(bisect_right(self._starts, offset) - 1, 0)


def _spans(text: str) -> list[Span]:
    """Where the code of each cell stands, without the newline that joins it to the next mark."""
    marks = [found.span() for found in _MARKS.finditer(text)]
    ends = [*(start for start, _ in marks), len(text)][1:]
    return [
        (start, max(end - 1, start) if text[start:end].endswith("\n") else end)
        for (_, start), end in zip(marks, ends, strict=True)
    ]
