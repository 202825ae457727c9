"""Expressions of Python's own parser -> libcst's nodes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

import libcst as cst

from dlint.ir.ast_formats import plain_format
from dlint.ir.ast_nodes import COMMA, EXPRESSIONS, NAME, Reader, Unlike, converts, maker

_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "Add",
    ast.BitAnd: "BitAnd",
    ast.BitOr: "BitOr",
    ast.BitXor: "BitXor",
    ast.Div: "Divide",
    ast.FloorDiv: "FloorDivide",
    ast.LShift: "LeftShift",
    ast.MatMult: "MatrixMultiply",
    ast.Mod: "Modulo",
    ast.Mult: "Multiply",
    ast.Pow: "Power",
    ast.RShift: "RightShift",
    ast.Sub: "Subtract",
    ast.Invert: "BitInvert",
    ast.Not: "Not",
    ast.UAdd: "Plus",
    ast.USub: "Minus",
    ast.Eq: "Equal",
    ast.Gt: "GreaterThan",
    ast.GtE: "GreaterThanEqual",
    ast.In: "In",
    ast.Is: "Is",
    ast.IsNot: "IsNot",
    ast.Lt: "LessThan",
    ast.LtE: "LessThanEqual",
    ast.NotEq: "NotEqual",
    ast.NotIn: "NotIn",
    ast.And: "And",
    ast.Or: "Or",
}
"""What libcst calls the operators of Python's own parser."""
_OPERATOR: Final = {kind: maker(getattr(cst, name))() for kind, name in _OPERATORS.items()}
WRITING: Final = {
    kind: maker(getattr(cst, f"{name}Assign"))()
    for kind, name in _OPERATORS.items()
    if issubclass(kind, ast.operator)
}
"""The operators of `+=` and the like."""

_ARGUMENT = maker(cst.Arg, "star", "keyword", "value")
_ATTRIBUTE = maker(cst.Attribute, "value", "attr")
_AWAIT = maker(cst.Await, "expression")
_BINARY = maker(cst.BinaryOperation, "left", "operator", "right")
_BOOLEAN = maker(cst.BooleanOperation, "left", "operator", "right")
_CALL = maker(cst.Call, "func", "args")
_CLAUSE = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in")
_CONDITION = maker(cst.CompIf, "test")
_CONDITIONAL = maker(cst.IfExp, "body", "test", "orelse")
_COMPARED = maker(cst.ComparisonTarget, "operator", "comparator")
_COMPARISON = maker(cst.Comparison, "left", "comparisons")
_DICT = maker(cst.Dict, "elements")
_DICT_COMPREHENSION = maker(cst.DictComp, "key", "value", "for_in")
_ELLIPSIS = maker(cst.Ellipsis)
_FLOAT = maker(cst.Float, "value")
_FROM = maker(cst.From, "item")
_GENERATOR = maker(cst.GeneratorExp, "elt", "for_in")
_IMAGINARY = maker(cst.Imaginary, "value")
_INDEX = maker(cst.Index, "star", "value")
_INTEGER = maker(cst.Integer, "value")
_KEY = maker(cst.DictElement, "key", "value")
_LIST = maker(cst.List, "elements")
_MERGED = maker(cst.StarredDictElement, "value")
_NAMED = maker(cst.NamedExpr, "target", "value")
_PART = maker(cst.SubscriptElement, "slice", "comma")
_SET = maker(cst.Set, "elements")
_SLICE = maker(cst.Slice, "lower", "upper", "step")
_STARRED = maker(cst.StarredElement, "value")
_STRING = maker(cst.SimpleString, "value")
_SUBSCRIPT = maker(cst.Subscript, "value", "slice")
_TUPLE = maker(cst.Tuple, "elements")
_UNARY = maker(cst.UnaryOperation, "operator", "expression")
_YIELD = maker(cst.Yield, "value")
_COMPREHENSIONS: Final = {
    ast.ListComp: maker(cst.ListComp, "elt", "for_in"),
    ast.SetComp: maker(cst.SetComp, "elt", "for_in"),
}
_NUMBERS: Final = {int: _INTEGER, float: _FLOAT, complex: _IMAGINARY}
_PLACE = attrgetter("lineno", "col_offset")


@converts(EXPRESSIONS, ast.Name)
def _name(reader: Reader, node: ast.Name) -> Any:
    return reader.at(NAME(node.id), node)


@converts(EXPRESSIONS, ast.Constant)
def _constant(reader: Reader, node: ast.Constant) -> Any:
    value = node.value
    if isinstance(value, str | bytes):
        return _string(reader, node)
    if value is None or isinstance(value, bool):
        return reader.at(NAME(str(value)), node)
    if value is ...:
        return reader.at(_ELLIPSIS(), node)
    digits = reader.text[reader.start(node) : reader.end(node)]
    return reader.at(_NUMBERS[type(value)](digits), node)


def _string(reader: Reader, node: ast.Constant) -> Any:
    start, end = reader.start(node), reader.end(node)
    literal = reader.text[start:end]
    quote = literal[-1]
    first = literal.find(quote)
    width = 3 if literal.startswith(quote * 3, first) and len(literal) >= first + 6 else 1
    is_one = first == 0 or literal[:first].isalpha()
    if is_one and quote * width not in literal[first + width : -width]:
        return reader.within(_STRING(literal), start, end)
    return reader.literal(start, end)


@converts(EXPRESSIONS, ast.JoinedStr)
def _format(reader: Reader, node: ast.JoinedStr) -> Any:
    start, end = reader.start(node), reader.end(node)
    return plain_format(reader, start, end) or reader.literal(start, end)


@converts(EXPRESSIONS, ast.Attribute)
def _attribute(reader: Reader, node: ast.Attribute) -> Any:
    return reader.at(_ATTRIBUTE(reader.expression(node.value), NAME(node.attr)), node)


@converts(EXPRESSIONS, ast.Call)
def _call(reader: Reader, node: ast.Call) -> Any:
    stop = reader.end(node) - 1
    given = arguments(reader, node.args, node.keywords, reader.end(node.func), stop)
    return reader.at(_CALL(reader.expression(node.func), given), node)


def arguments(
    reader: Reader, args: Sequence[ast.expr], keywords: list[ast.keyword], behind: int, stop: int
) -> list[Any]:
    """The arguments of a call or a class in their order: `behind` what they are given to."""
    given: list[Any] = [*args, *keywords]
    if args and keywords and _PLACE(args[-1]) > _PLACE(keywords[0]):
        given.sort(key=_PLACE)
    found = []
    for position, node in enumerate(given):
        if isinstance(node, ast.keyword):
            keyword = None if node.arg is None else NAME(node.arg)
            value = reader.expression(node.value)
            made = reader.at(_ARGUMENT("" if keyword else "**", keyword, value), node)
        elif isinstance(node, ast.Starred):
            made = reader.at(_ARGUMENT("*", None, reader.expression(node.value)), node)
        else:
            made = _plain(reader, node, behind, stop, is_first=position == 0)
        behind = reader.spans[made][1]
        found.append(made)
    return found


def _plain(reader: Reader, node: ast.expr, behind: int, stop: int, *, is_first: bool) -> Any:
    """An argument that is given by its position, in whatever parentheses it has of its own."""
    value = reader.expression(node)
    made = _ARGUMENT("", None, value)
    end = reader.end(node)
    if end > stop:  # a generator in the parentheses of the call
        return reader.within(made, *reader.spans[value])
    if reader.text[end] == "," or not reader.closed(end, stop)[1]:
        return reader.at(made, node)
    if is_first:  # what is called may stand in parentheses, too
        behind, _ = reader.closed(behind, stop)
    return reader.within(made, *reader.outer(node, reader.skip(behind) + 1, stop))


@converts(EXPRESSIONS, ast.Subscript)
def _subscript(reader: Reader, node: ast.Subscript) -> Any:
    value, index = reader.expression(node.value), node.slice
    if isinstance(index, ast.Tuple) and not reader.is_enclosed(index):
        parts = [_part(reader, part) for part in index.elts]
    else:
        parts = [_part(reader, index, None)]
    return reader.at(_SUBSCRIPT(value, parts), node)


def _part(reader: Reader, node: ast.expr, comma: cst.Comma | None = COMMA) -> Any:
    """What stands between the brackets, or between two commas there."""
    if isinstance(node, ast.Starred):
        raise Unlike
    if not isinstance(node, ast.Slice):
        return _PART(_INDEX(None, reader.expression(node)), comma)
    bounds = [reader.optional(bound) for bound in (node.lower, node.upper, node.step)]
    return _PART(reader.at(_SLICE(*bounds), node), comma)


@converts(EXPRESSIONS, ast.UnaryOp)
def _unary(reader: Reader, node: ast.UnaryOp) -> Any:
    return reader.at(_UNARY(_OPERATOR[type(node.op)], reader.expression(node.operand)), node)


@converts(EXPRESSIONS, ast.BinOp)
def _binary(reader: Reader, node: ast.BinOp) -> Any:
    left, right = reader.expression(node.left), reader.expression(node.right)
    return reader.at(_BINARY(left, _OPERATOR[type(node.op)], right), node)


@converts(EXPRESSIONS, ast.BoolOp)
def _boolean(reader: Reader, node: ast.BoolOp) -> Any:
    """`a or b or c` is one node of Python's own, and two of libcst's."""
    operator, start = _OPERATOR[type(node.op)], reader.start(node)
    first, *others = node.values
    made = reader.expression(first)
    for position, value in enumerate(others, 1):
        made = _BOOLEAN(made, operator, reader.expression(value))
        if position < len(others):
            end, _ = reader.closed(reader.end(value), len(reader.text))
            reader.within(made, start, end)
    return reader.at(made, node)


@converts(EXPRESSIONS, ast.Compare)
def _comparison(reader: Reader, node: ast.Compare) -> Any:
    left = reader.expression(node.left)
    others = [
        _COMPARED(_OPERATOR[type(operator)], reader.expression(other))
        for operator, other in zip(node.ops, node.comparators, strict=True)
    ]
    return reader.at(_COMPARISON(left, others), node)


@converts(EXPRESSIONS, ast.IfExp)
def _conditional(reader: Reader, node: ast.IfExp) -> Any:
    parts = (node.body, node.test, node.orelse)
    return reader.at(_CONDITIONAL(*map(reader.expression, parts)), node)


@converts(EXPRESSIONS, ast.Tuple)
def _tuple(reader: Reader, node: ast.Tuple) -> Any:
    start, end = reader.start(node), reader.end(node)
    is_enclosed = reader.is_enclosed(node)
    if is_enclosed and not node.elts:
        return reader.within(_TUPLE([]), start + 1, start + 1)
    elements = _elements(reader, node, start + is_enclosed, end - is_enclosed)
    if is_enclosed:
        start, end = reader.skip(start + 1), reader.last(reader.end(node.elts[-1]), end - 1)
    return reader.within(_TUPLE(elements), start, end)


@converts(EXPRESSIONS, ast.List)
def _list(reader: Reader, node: ast.List) -> Any:
    elements = _elements(reader, node, reader.start(node) + 1, reader.end(node) - 1)
    return reader.at(_LIST(elements), node)


def _elements(reader: Reader, node: ast.Tuple | ast.List, behind: int, stop: int) -> list[Any]:
    if isinstance(node.ctx, ast.Load):
        return [reader.element(element) for element in node.elts]
    return reader.targets(node.elts, behind, stop)


@converts(EXPRESSIONS, ast.Set)
def _set(reader: Reader, node: ast.Set) -> Any:
    return reader.at(_SET([reader.element(element) for element in node.elts]), node)


@converts(EXPRESSIONS, ast.Starred)
def _starred(reader: Reader, node: ast.Starred) -> Any:
    return reader.at(_STARRED(reader.expression(node.value)), node)


@converts(EXPRESSIONS, ast.Dict)
def _dict(reader: Reader, node: ast.Dict) -> Any:
    elements = []
    for key, value in zip(node.keys, node.values, strict=True):
        held = reader.expression(value)
        elements.append(_MERGED(held) if key is None else _KEY(reader.expression(key), held))
    return reader.at(_DICT(elements), node)


@converts(EXPRESSIONS, ast.ListComp, ast.SetComp)
def _comprehension(reader: Reader, node: ast.ListComp | ast.SetComp) -> Any:
    element = reader.expression(node.elt)
    made = _COMPREHENSIONS[type(node)](element, _clauses(reader, node.generators))
    return reader.at(made, node)


@converts(EXPRESSIONS, ast.DictComp)
def _dict_comprehension(reader: Reader, node: ast.DictComp) -> Any:
    key, value = reader.expression(node.key), reader.expression(node.value)
    return reader.at(_DICT_COMPREHENSION(key, value, _clauses(reader, node.generators)), node)


@converts(EXPRESSIONS, ast.GeneratorExp)
def _generator(reader: Reader, node: ast.GeneratorExp) -> Any:
    made = _GENERATOR(reader.expression(node.elt), _clauses(reader, node.generators))
    last = node.generators[-1]
    end = reader.last(reader.end([last.iter, *last.ifs][-1]), reader.end(node) - 1)
    return reader.within(made, reader.skip(reader.start(node) + 1), end)


def _clauses(reader: Reader, nodes: Sequence[ast.comprehension]) -> Any:
    made = None
    for node in reversed(nodes):
        tests = [_CONDITION(reader.expression(test)) for test in node.ifs]
        target, iterable = reader.expression(node.target), reader.expression(node.iter)
        made = _CLAUSE(target, iterable, tests, made)
    return made


@converts(EXPRESSIONS, ast.NamedExpr)
def _named(reader: Reader, node: ast.NamedExpr) -> Any:
    return reader.at(_NAMED(reader.expression(node.target), reader.expression(node.value)), node)


@converts(EXPRESSIONS, ast.Await)
def _await(reader: Reader, node: ast.Await) -> Any:
    return reader.at(_AWAIT(reader.expression(node.value)), node)


@converts(EXPRESSIONS, ast.Yield)
def _yield(reader: Reader, node: ast.Yield) -> Any:
    return reader.at(_YIELD(reader.optional(node.value)), node)


@converts(EXPRESSIONS, ast.YieldFrom)
def _delegation(reader: Reader, node: ast.YieldFrom) -> Any:
    return reader.at(_YIELD(_FROM(reader.expression(node.value))), node)
