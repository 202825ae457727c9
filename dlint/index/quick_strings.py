"""String literals of several parts, or with expressions in them, as libcst would read them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import libcst as cst

from dlint.index.quick_text import BLANK, Unsuited, made
from dlint.index.spans import measure_part
from dlint.places import Span

if TYPE_CHECKING:
    from dlint.index.quick_expressions import Expressions

LITERAL: Final = re.compile(
    r"""([rRbBuUfF]{0,2})("{3}(?:[^\\]|\\.)*?"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
    r"""|"(?!"")(?:[^"\\\r\n]|\\.)*"|'(?!'')(?:[^'\\\r\n]|\\.)*')""",
    re.S,
)
_TEXT: Final = re.compile(r"(?:[^{}]|\{\{|\}\})+")
_REPLACED: Final = re.compile(r"\{([^{}!:=#\\\r\n]+)(?:!([rsa]))?(?::([^{}\\\r\n]+))?\}")
"""What is common between braces; the rest is left to libcst."""


def literal(make: Expressions, span: Span) -> cst.CSTNode:
    """The node of a literal: its spans are noted."""
    try:
        parts = [_part(make, *piece) for piece in _pieces(make.text, span)]
    except (Unsuited, SyntaxError, ValueError):
        return _by_libcst(make, span)
    found = parts.pop()
    while parts:
        left = parts.pop()
        right, found = found, made(cst.ConcatenatedString, left=left, right=found)
        make.spans[found] = (make.spans[left][0], make.spans[right][1])
    return found


def _pieces(text: str, span: Span) -> Iterator[tuple[str, int, int]]:
    """The literals that are written one behind the other: prefix, start and end."""
    position, end = span
    while position < end:
        match = LITERAL.match(text, position, end)
        if match is None:
            raise Unsuited
        yield match[1].lower(), position, match.end()
        blank = BLANK.match(text, match.end(), end)
        assert blank is not None
        position = blank.end()


def _part(make: Expressions, prefix: str, start: int, end: int) -> cst.CSTNode:
    text = make.text[start:end]
    if "f" not in prefix:
        found: cst.CSTNode = made(cst.SimpleString, value=text)
    else:
        quoted = len(prefix)
        width = 3 if text.startswith(text[quoted] * 3, quoted) and len(text) >= quoted + 6 else 1
        inside = (start + quoted + width, end - width)
        parts = list(_formatted(make, inside))
        found = made(cst.FormattedString, start=text[: quoted + width], parts=parts)
    make.spans[found] = (start, end)
    return found


def _formatted(make: Expressions, span: Span) -> Iterator[cst.CSTNode]:
    """The parts of a format, between its quotes."""
    position, end = span
    if "\\N" in make.text[position:end]:
        raise Unsuited
    while position < end:
        text = _TEXT.match(make.text, position, end)
        if text is not None:
            yield _noted(make, made(cst.FormattedStringText, value=text[0]), text.span())
            position = text.end()
            continue
        match = _REPLACED.match(make.text, position, end)
        if match is None:
            raise Unsuited
        yield _noted(make, _replaced(make, match), match.span())
        position = match.end()


def _replaced(make: Expressions, match: re.Match[str]) -> cst.CSTNode:
    spec = match[3]
    if spec is not None:
        spec = [_noted(make, made(cst.FormattedStringText, value=spec), match.span(3))]
    return made(
        cst.FormattedStringExpression,
        expression=_expression(make, match[1], match.start(1)),
        equal=None,
        conversion=match[2],
        format_spec=spec,
    )


def _expression(make: Expressions, text: str, start: int) -> cst.CSTNode:
    start += len(text) - len(text.lstrip())
    text = text.strip()
    inner = type(make)(text)
    node: cst.CSTNode = inner.of(ast.parse(text, mode="eval").body)
    _take(make, inner.spans, start)
    return node


def _by_libcst(make: Expressions, span: Span) -> cst.CSTNode:
    part = f"({make.text[span[0] : span[1]]})"
    node = cst.parse_expression(part)
    _take(make, measure_part(node, part), span[0] - 1)
    return node


def _take(make: Expressions, spans: Mapping[cst.CSTNode, Span], shift: int) -> None:
    """Note the spans of a part of the text."""
    for node, (start, end) in spans.items():
        make.spans[node] = (start + shift, end + shift)


def _noted(make: Expressions, node: cst.CSTNode, span: Span) -> cst.CSTNode:
    make.spans[node] = span
    return node
