"""String literals: libcst -> constants and formats."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import libcst as cst

from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.ir.expressions import Constant, Expression, Format, Opaque
from dlint.ir.lower_context import EXPRESSIONS, Context, expression

_ESCAPE = lazily(
    r"\\(\r?\n|\r|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\}|.)",
    re.DOTALL,
)
_SIMPLE_ESCAPES = {"\n": "", **dict(zip("\\'\"abfnrtv", "\\'\"\a\b\f\n\r\t\v", strict=True))}


@EXPRESSIONS.lowers("SimpleString")
def lower_string(context: Context, node: cst.SimpleString) -> Expression:
    literal, span = node.value, context.spans[node]
    quote = literal[-1]
    start = literal.index(quote)
    prefix = literal[:start].lower()
    if "b" in prefix:
        return Opaque(span)
    width = 3 if literal.startswith(quote * 3, start) and len(literal) >= start + 6 else 1
    return Constant(span, _text(literal[start + width : -width], "r" in prefix))


def _text(body: str, raw: bool) -> str:
    """What the characters between the quotes of a literal stand for."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    return body if raw or "\\" not in body else _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[code]
    try:
        if code[0] in "xuU" and len(code) > 1:
            return chr(int(code[1:], 16))
        if code[0] == "N" and len(code) > 1:
            return unicodedata.lookup(code[2:-1])
        return chr(int(code, 8))
    except (ValueError, KeyError):
        return match[0]


@EXPRESSIONS.lowers("ConcatenatedString")
def lower_concatenation(context: Context, node: cst.ConcatenatedString) -> Expression:
    parts = [expression(context, part) for part in _concatenated(node)]
    span = context.spans[node]
    if any(isinstance(part, Opaque) for part in parts):
        return Opaque(span, tuple(parts))
    return _joined(span, parts)


def _concatenated(node: cst.BaseString) -> Iterable[cst.BaseString]:
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def _joined(span: Span, parts: Iterable[Expression]) -> Expression:
    flat: list[Expression] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Format) else (part,))
    if any(not isinstance(part, Constant) for part in flat):
        return Format(span, tuple(flat))
    return Constant(span, "".join(str(part.value) for part in flat if isinstance(part, Constant)))


@EXPRESSIONS.lowers("FormattedString")
def lower_format(context: Context, node: cst.FormattedString) -> Expression:
    raw = "r" in node.start.lower()
    return _joined(context.spans[node], _format_parts(context, node.parts, raw))


def _format_parts(
    context: Context, nodes: Iterable[cst.BaseFormattedStringContent], raw: bool
) -> Iterable[Expression]:
    for node in nodes:
        if isinstance(node, cst.FormattedStringText):
            text = node.value.replace("{{", "{").replace("}}", "}")
            yield Constant(context.spans[node], _text(text, raw))
        elif isinstance(node, cst.FormattedStringExpression):
            yield _formatted(context, node, raw)


def _formatted(context: Context, node: cst.FormattedStringExpression, raw: bool) -> Expression:
    """The expression itself where it is only turned into text, else an opaque around it."""
    value = expression(context, node.expression)
    if node.conversion in (None, "s") and node.format_spec is None and node.equal is None:
        return value
    spec = _format_parts(context, node.format_spec or (), raw)
    return Opaque(context.spans[node], (value, *spec))


@EXPRESSIONS.lowers("TemplatedString")
def lower_template(context: Context, node: cst.CSTNode) -> Expression:
    parts = getattr(node, "parts", ())
    values = [part.expression for part in parts if hasattr(part, "expression")]
    return Opaque(context.spans[node], tuple([expression(context, value) for value in values]))
