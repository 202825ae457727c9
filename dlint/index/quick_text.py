"""Places in a text by what Python's own parser says of them, and the tokens around these."""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

import libcst as cst

from dlint.index.spans import seek
from dlint.places import Span

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_COMMENT: Final = re.compile(r"#[^\r\n]*")
BLANK: Final = re.compile(r"(?:[ \t\f\r\n]|\\\r?\n|#[^\r\n]*)*")


N = TypeVar("N", bound=cst.CSTNode)
_new, _set = object.__new__, object.__setattr__


class Unsuited(Exception):  # noqa: N818
    """A text that is left to libcst."""


def made(kind: type[N], **fields: object) -> N:
    """A node with no more than these fields."""
    node = _new(kind)
    for name, value in fields.items():
        _set(node, name, value)
    return node


class Text:
    """A text with the offsets of its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        self._is_ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """The offset of a place that is told in bytes of a line."""
        start = self._starts[line - 1]
        if self._is_ascii:
            return start + column
        after = start + column
        if self.text[start:after].isascii():
            return after
        return start + len(self.text[start:after].encode()[:column].decode())

    def span(self, node: Any) -> Span:
        """Where a node of Python's tree stands."""
        if self._is_ascii:
            first = self._starts[node.lineno - 1] + node.col_offset
            return first, self._starts[node.end_lineno - 1] + node.end_col_offset
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def enclosed(self, floor: int, span: Span) -> Span:
        """A span with the parentheses around it, which open behind `floor`."""
        start, end = span
        gap = self.text[floor:start]
        if "(" not in gap:
            return span
        bare = _COMMENT.sub(_blanked, gap)
        count = bare.count("(")
        for _ in range(count):
            end = seek(self.text, ")", end) + 1
        return (floor + bare.index("("), end) if count else span

    def opens_around(self, span: Span, first: Span) -> bool:
        """Whether the parenthesis that a tuple starts with is its own, not its first item's."""
        start, end = span
        if start == first[0] or self.text[end - 1] != ")":
            return False
        opened = _COMMENT.sub(_blanked, self.text[start : first[0]])
        closed = _COMMENT.sub(_blanked, self.text[first[1] : seek(self.text, ",", first[1])])
        return opened.count("(") > closed.count(")")

    def inside(self, span: Span, last: Span) -> Span:
        """What stands between the parentheses of a span; `last` is the last part in it."""
        start, end = span
        match = BLANK.match(self.text, start + 1)
        assert match is not None
        tail = _COMMENT.sub(_blanked, self.text[last[1] : end - 1]).replace("\\", " ")
        return match.end(), last[1] + len(tail.rstrip())


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])
