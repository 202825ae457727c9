"""Comments of a Python text and the logical lines they stand at, also where it does not parse."""

from __future__ import annotations

import tokenize
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from dlint.findings.regexes import lazily
from dlint.workspace.kinds import is_shell
from dlint.workspace.source import Source

_IN_BROKEN_LINE = lazily(r"#.*")
_WITHOUT_MEANING = frozenset(
    {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}
)

Rows = tuple[int, int]
"""First and last row, counted from 1."""


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment, from its `#` to the end of its line."""

    row: int
    start: int
    """Offset of its `#`."""
    text: str
    covers: Rows
    """The rows that it speaks of.

    Behind code it is its own row, on a line of its own the statement below (with decorators, all
    up to the definition) or, between brackets, the next row that holds code.
    """


@dataclass(frozen=True, slots=True)
class Layout:
    """The comments and logical lines of one text."""

    comments: tuple[Comment, ...]
    lines: tuple[Rows, ...]
    """The logical lines, in order; blank lines and comments between them belong to none."""
    extensible: frozenset[int]
    """Rows that end neither in a string nor in a backslash: a comment may be put behind them."""

    def logical_line(self, row: int) -> Rows:
        """The logical line that holds a row; the row alone if there is none."""
        index = bisect_left(self.lines, (row + 1, 0)) - 1
        if index >= 0 and self.lines[index][0] <= row <= self.lines[index][1]:
            return self.lines[index]
        return row, row


def layout(source: Source) -> Layout:
    """Read the comments of a Python source with the tokenizer, as far as it gets.

    A shell script is read by the words of its own language.
    """
    if is_shell(source.path):
        from dlint.suppression.shell_layout import shell_layout

        return shell_layout(source)
    reader = _Reader(source)
    reader.read()
    return reader.layout()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: list[tuple[int, int, bool]] = []
        """First and last row, and whether it is a decorator."""
        self._opened: int | None = None
        self._decorates = False
        self._found: list[tuple[int, int, str, bool]] = []
        """Row, column (from 0), text, and whether a logical line is open."""
        self._code_rows: list[int] = []
        self._last_row = 0
        self._extensible: set[int] = set()

    def read(self) -> None:
        """Go through the tokens; what lies behind a fault is searched line by line."""
        rows = iter(range(1, len(self._source.line_starts) + 1))

        def next_line() -> str:
            row = next(rows, None)
            return "" if row is None else self._raw_line(row)

        try:
            for token in tokenize.generate_tokens(next_line):
                self._take(token)
        except (tokenize.TokenError, SyntaxError):
            self._take_broken()

    def layout(self) -> Layout:
        """What was read."""
        comments = tuple(self._comment(*found) for found in self._found)
        lines = tuple((first, last) for first, last, _ in self._lines)
        return Layout(comments, lines, frozenset(self._extensible))

    def _raw_line(self, row: int) -> str:
        starts = self._source.line_starts
        end = starts[row] if row < len(starts) else len(self._source.text)
        return self._source.text[starts[row - 1] : end]

    def _take(self, token: tokenize.TokenInfo) -> None:
        row, column = token.start
        if token.type in {tokenize.NL, tokenize.NEWLINE}:
            self._extensible.add(row)
        if token.type == tokenize.COMMENT:
            self._found.append((row, column, token.string, self._opened is not None))
        elif token.type == tokenize.NEWLINE:
            self._close(row)
        elif token.type not in _WITHOUT_MEANING:
            if self._opened is None:
                self._opened = row
                self._decorates = token.string == "@"
            self._code_rows.append(row)
            self._last_row = token.end[0]

    def _close(self, row: int) -> None:
        if self._opened is not None:
            self._lines.append((self._opened, row, self._decorates))
            self._opened = None

    def _take_broken(self) -> None:
        first = self._opened or self._last_row + 1
        self._opened = None
        seen = {found[0] for found in self._found}
        for row in range(first, self._source.row_count + 1):
            line = self._source.line(row)
            found = _IN_BROKEN_LINE.search(line)
            if found and row not in seen:
                self._found.append((row, found.start(), found[0], False))
            if line[: found.start() if found else None].strip():
                self._lines.append((row, row, line.lstrip().startswith("@")))

    def _comment(self, row: int, column: int, text: str, is_inside: bool) -> Comment:
        start = self._source.line_starts[row - 1] + column
        covers = (row, row)
        if not self._source.line(row)[:column].strip():
            covers = self._next_code_row(row) if is_inside else self._next_statement(row)
        return Comment(row, start, text, covers)

    def _next_code_row(self, row: int) -> Rows:
        index = bisect_right(self._code_rows, row)
        row = self._code_rows[index] if index < len(self._code_rows) else row
        return row, row

    def _next_statement(self, row: int) -> Rows:
        first = last = bisect_left(self._lines, (row, 0, False))
        while last + 1 < len(self._lines) and self._lines[last][2]:
            last += 1
        return (self._lines[first][0], self._lines[last][1]) if self._lines[first:] else (row, row)
