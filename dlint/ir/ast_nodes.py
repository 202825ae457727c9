"""Nodes of libcst made from those of Python's own parser, which takes a tenth of the time.

They hold what lowering asks for: no blanks, hardly any punctuation, and of simple statements no
line around them. What Python's parser leaves out is read along the text. What is rare, and a text
whose places it counts in another way, is left to libcst (`Unlike`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import libcst as cst

from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.ir.lower_layouts import LAYOUTS
from dlint.ir.shared import span

_BLANK = re.compile(r"(?:[ \t\r\n\\]|#[^\n]*)*")
_ODD = lazily(r"[\f\v\0]|\r(?!\n)")
_BEHIND: Final = "; \t\r\n\\"
_create = object.__new__

Put = Callable[[Any, object], None]
Converter = Callable[["Reader", Any], Any]
EXPRESSIONS: Final[dict[type[ast.expr], Converter]] = {}
STATEMENTS: Final[dict[type[ast.stmt], Converter]] = {}
"""By class of Python's own nodes, what makes one of libcst's."""


class Unlike(Exception):  # noqa: N818
    """Something that libcst is to read."""


def converts(table: dict[Any, Converter], *kinds: type) -> Callable[[Converter], Converter]:
    """Enter a function for some classes of nodes."""

    def enter(function: Converter) -> Converter:
        table.update(dict.fromkeys(kinds, function))
        return function

    return enter


def maker(kind: type[cst.CSTNode], *fields: str) -> Callable[..., Any]:
    """What makes nodes of a class, given some fields; others that are named in a layout are None.

    libcst's own constructors take five times as long, as its nodes are frozen.
    """
    layout = LAYOUTS[kind].steps if kind in LAYOUTS else ()
    others = {word for is_field, word in layout if is_field and word not in fields}
    puts = [getattr(kind, field).__set__ for field in fields]
    empties = [getattr(kind, field).__set__ for field in sorted(others)]
    quick = _QUICK.get(len(puts)) if not empties else None
    if quick is not None:
        return quick(kind, *puts)

    def make(*values: object) -> Any:
        node = _create(kind)
        for put, value in zip(puts, values, strict=True):
            put(node, value)
        for put in empties:
            put(node, None)
        return node

    return make


def _of_one(kind: type, put: Put) -> Callable[..., Any]:
    def make(value: object) -> Any:
        node: Any = _create(kind)
        put(node, value)
        return node

    return make


def _of_two(kind: type, put: Put, put_next: Put) -> Callable[..., Any]:
    def make(value: object, after: object) -> Any:
        node: Any = _create(kind)
        put(node, value)
        put_next(node, after)
        return node

    return make


def _of_three(kind: type, put: Put, put_next: Put, put_last: Put) -> Callable[..., Any]:
    def make(value: object, after: object, last: object) -> Any:
        node: Any = _create(kind)
        put(node, value)
        put_next(node, after)
        put_last(node, last)
        return node

    return make


_QUICK: Final[dict[int, Callable[..., Callable[..., Any]]]] = {
    1: _of_one,
    2: _of_two,
    3: _of_three,
}
"""The same for nodes of few fields, which most are: a loop takes as long as what it goes over."""


COMMA: Final[cst.Comma] = maker(cst.Comma)()
NAME: Final = maker(cst.Name, "value")
_ELEMENT: Final = maker(cst.Element, "value")
_STARRED: Final = maker(cst.StarredElement, "value")
_GROUP: Final = "({})"


class Reader:
    """Makes nodes of one text, and notes their spans."""

    def __init__(self, text: str) -> None:
        if _ODD.search(text):
            raise Unlike
        self.text = text
        self.spans: dict[cst.CSTNode, Span] = {}
        lines = text.split("\n")
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        wide = [] if text.isascii() else lines
        self._wide = {n: line for n, line in enumerate(wide, 1) if not line.isascii()}

    def expression(self, node: ast.expr) -> Any:
        """The node of an expression."""
        convert = EXPRESSIONS.get(type(node))
        if convert is None:
            raise Unlike
        return convert(self, node)

    def optional(self, node: ast.expr | None) -> Any:
        """The node of an expression that may be left out."""
        return None if node is None else self.expression(node)

    def statements(self, nodes: Iterable[ast.stmt]) -> list[Any]:
        """The nodes of statements."""
        found = []
        for node in nodes:
            convert = STATEMENTS.get(type(node))
            if convert is None:
                raise Unlike
            found.append(convert(self, node))
        return found

    def place(self, row: int, column: int) -> int:
        """The offset of a row, counted from 1, and a column in bytes of UTF-8."""
        if row in self._wide:
            column = len(self._wide[row].encode()[:column].decode())
        return self._starts[row - 1] + column

    def start(self, node: Any) -> int:
        """Where a node of Python's own begins."""
        return self.place(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Where a node of Python's own ends."""
        return self.place(node.end_lineno, node.end_col_offset)

    def at(self, made: Any, node: Any) -> Any:
        """A node that was made, with the place of one of Python's own."""
        wide = self._wide
        if wide:
            self.spans[made] = span(self.start(node), self.end(node))
        else:
            starts = self._starts
            self.spans[made] = span(
                starts[node.lineno - 1] + node.col_offset,
                starts[node.end_lineno - 1] + node.end_col_offset,
            )
        return made

    def around(self, made: Any, node: Any, start: int | None = None) -> Any:
        """The same of what ends with a block: Python's own takes in a `;` at its end."""
        start, end = self.start(node) if start is None else start, self.end(node)
        if self.text[end - 1] == ";":
            end = start + len(self.text[start:end].rstrip(_BEHIND))
        return self.within(made, start, end)

    def within(self, made: Any, start: int, end: int) -> Any:
        """A node that was made, with its place."""
        self.spans[made] = span(start, end)
        return made

    def name(self, name: str, start: int) -> Any:
        """A name that stands somewhere."""
        return self.within(NAME(name), start, start + len(name))

    # -- what stands between nodes

    def skip(self, position: int) -> int:
        """Where the next token begins."""
        found = _BLANK.match(self.text, position)
        return position if found is None else found.end()

    def closed(self, end: int, stop: int) -> tuple[int, int]:
        """Where the last parenthesis that closes behind a node ends, and how many do."""
        count = 0
        while (at := self.skip(end)) < stop and self.text[at] == ")":
            end, count = at + 1, count + 1
        return end, count

    def last(self, end: int, stop: int) -> int:
        """Where the last token before `stop` ends, if all behind `end` are of one character."""
        while (at := self.skip(end)) < stop:
            end = at + 1
        return end

    def outer(self, node: ast.expr, behind: int, stop: int) -> Span:
        """The place of a node with the parentheses around it, the first token from `behind` on."""
        start, end = self.start(node), self.end(node)
        closed, count = self.closed(end, stop)
        return (self.skip(behind), closed) if count else (start, end)

    def is_enclosed(self, node: ast.Tuple) -> bool:
        """Whether the parentheses at which a tuple begins and ends are its own."""
        start, end = self.start(node), self.end(node)
        if self.text[start] != "(" or self.text[end - 1] != ")":
            return False
        if not node.elts:
            return True
        first, opened = self.start(node.elts[0]), 0
        while start < first:
            opened, start = opened + 1, self.skip(start + 1)
        return opened > self.closed(self.end(node.elts[0]), end)[1]

    # -- parts of several nodes

    def element(self, node: ast.expr) -> Any:
        """What stands in a tuple, a list or a set."""
        if isinstance(node, ast.Starred):
            return self.at(_STARRED(self.expression(node.value)), node)
        return _ELEMENT(self.expression(node))

    def targets(self, nodes: list[ast.expr], behind: int, stop: int) -> list[Any]:
        """The elements of a tuple or list that is written to, and their places."""
        found = []
        for node in nodes:
            made = self.element(node)
            found.append(made)
            start, end = self.outer(node, behind, stop)
            self.spans[made] = span(start, end)
            behind = self.skip(end) + 1  # the comma
        return found

    def literal(self, start: int, end: int) -> Any:
        """What libcst makes of a literal: several in a row, or one with expressions."""
        text = _GROUP.format(self.text[start:end])
        try:
            made = cst.parse_expression(text)
        except cst.ParserSyntaxError as error:
            raise Unlike from error
        from dlint.ir.spans import measure

        shift = start - 1
        for node, (a, b) in measure(made, text).items():
            self.spans[node] = span(a + shift, b + shift)
        return made
