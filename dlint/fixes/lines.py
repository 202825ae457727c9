"""Lines around an offset of a source, and the tokens between two nodes."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily
from dlint.workspace.source import Source

_BLANKS = " \t\f"
_TRIVIA = lazily(r"#[^\r\n]*|[^#]", re.DOTALL)


def line_start(source: Source, offset: int) -> int:
    """Offset of the first character of the line that holds `offset`."""
    return source.line_starts[source.position(offset)[0] - 1]


def line_end(source: Source, offset: int) -> int:
    """Offset behind the last character of that line, before its newline."""
    row = source.position(offset)[0]
    return source.line_starts[row - 1] + len(source.line(row))


def next_line(source: Source, offset: int) -> int:
    """Offset of the first character of the line below; the end of the text if there is none."""
    row = source.position(offset)[0]
    return source.line_starts[row] if row < len(source.line_starts) else len(source.text)


def indentation(source: Source, offset: int) -> str | None:
    """The blanks before `offset` on its line; None when something else stands there too."""
    before = source.text[line_start(source, offset) : offset]
    return None if before.strip(_BLANKS) else before.rpartition("\f")[2]


def is_trivia(text: str) -> bool:
    """Whether nothing but blanks or a comment is left on a line."""
    rest = text.strip(_BLANKS)
    return not rest or rest.startswith("#")


def find_token(source: Source, token: str, start: int, end: int) -> int | None:
    """Offset of the first one-character `token` between two offsets that stands in no comment.

    No string may stand between them.
    """
    for found in _TRIVIA.finditer(source.text, start, end):
        if found[0] == token:
            return found.start()
    return None
