"""Strings with expressions in them, as nodes of libcst, where they are plain: libcst reads others.

Before 3.12 Python's own parser counts places inside of such strings in ways of its own. So what
stands in each pair of braces is parsed by itself; it is some words, calls and signs.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

import libcst as cst

from dlint.findings.regexes import lazily
from dlint.ir.ast_nodes import Reader, maker

if TYPE_CHECKING:
    import re

_START = lazily(r"""[rR]?[fF][rR]?("{3}|'{3}|"|')""")
_PIECE = lazily(
    r"(?P<text>(?:[^{}]|\{\{|\}\})+)|"
    r"\{ *(?P<value>[A-Za-z_][\w.,()\[\] +*/%-]*)(?:!(?P<conversion>[rsa]))?"
    r"(?::(?P<spec>[^{}\\\n]+))?\}"
)
_FORMAT: Final = maker(cst.FormattedString, "start", "parts")
_TEXT: Final = maker(cst.FormattedStringText, "value")
_VALUE: Final = maker(
    cst.FormattedStringExpression, "expression", "conversion", "format_spec", "equal"
)


def plain_format(reader: Reader, start: int, end: int) -> Any:
    """The node of the string that stands in a place; None of one that is not plain."""
    literal = reader.text[start:end]
    opening = _START.match(literal)
    if opening is None or not literal.endswith(quote := opening[1]):
        return None
    body = literal[opening.end() : -len(quote)]
    if quote in body or "\\N{" in body or not body.isascii():
        return None
    pieces = _pieces(body)
    if pieces is None:
        return None
    first = start + opening.end()
    parts = [_part(reader, piece, tree, first) for piece, tree in pieces]
    return reader.within(_FORMAT(opening[0], parts), start, end)


_Pieces = list[tuple["re.Match[str]", ast.expr | None]]


def _pieces(body: str) -> _Pieces | None:
    """The texts and expressions of a string in order; None where one is not plain."""
    found: _Pieces = []
    position = 0
    while position < len(body):
        piece = _PIECE.match(body, position)
        if piece is None:
            return None
        try:
            value = piece["value"]
            tree = None if value is None else ast.parse(value.rstrip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        found.append((piece, tree))
        position = piece.end()
    return found


def _part(reader: Reader, piece: re.Match[str], tree: ast.expr | None, first: int) -> Any:
    start, end = piece.span()
    if tree is None:
        return reader.within(_TEXT(piece[0]), first + start, first + end)
    inner = Reader(piece["value"])
    value = inner.expression(tree)
    shift = first + piece.start("value")
    for node, (a, b) in inner.spans.items():
        reader.within(node, shift + a, shift + b)
    spec = None
    if piece["spec"] is not None:
        a, b = piece.span("spec")
        spec = (reader.within(_TEXT(piece["spec"]), first + a, first + b),)
    made = _VALUE(value, piece["conversion"], spec, None)
    return reader.within(made, first + start, first + end)
