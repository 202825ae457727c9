"""Names, literals, operators, calls and displays: libcst -> expressions."""

from __future__ import annotations

from collections.abc import Iterable
from sys import intern
from typing import Literal

import libcst as cst

from dlint.ir.expressions import (
    Argument,
    Attribute,
    Await,
    Binary,
    Boolean,
    Call,
    Comparison,
    Conditional,
    Constant,
    Expression,
    Mapping,
    Opaque,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Unary,
    Yield,
)
from dlint.ir.lower_context import EXPRESSIONS, Context, expression, optional
from dlint.ir.lower_layouts import OPERATORS

_MOST_DIGITS = 1000  # Python refuses to convert some thousands
_SINGLETONS = {"True": True, "False": False, "None": None}


@EXPRESSIONS.lowers("Name")
def lower_name(context: Context, node: cst.Name) -> Expression:
    name, span = node.value, context.spans[node]
    if name in _SINGLETONS:
        return Constant(span, _SINGLETONS[name])
    return context.environment.read(span, name)


@EXPRESSIONS.lowers("Integer")
def lower_integer(context: Context, node: cst.Integer) -> Expression:
    span, digits = context.spans[node], node.value
    return Constant(span, int(digits, 0)) if len(digits) <= _MOST_DIGITS else Opaque(span)


@EXPRESSIONS.lowers("Float")
def lower_float(context: Context, node: cst.Float) -> Expression:
    return Constant(context.spans[node], float(node.value))


@EXPRESSIONS.lowers("Ellipsis", "Imaginary")
def lower_opaque(context: Context, node: cst.BaseExpression) -> Expression:
    return Opaque(context.spans[node])


@EXPRESSIONS.lowers("Attribute")
def lower_attribute(context: Context, node: cst.Attribute) -> Attribute:
    value = node.value
    base = EXPRESSIONS[type(value)](context, value)
    return Attribute(context.spans[node], base, intern(node.attr.value))


@EXPRESSIONS.lowers("Call")
def lower_call(context: Context, node: cst.Call) -> Expression:
    callee = node.func
    function = EXPRESSIONS[type(callee)](context, callee)
    arguments = tuple([_argument(context, a) for a in node.args])
    call = Call(context.spans[node], function, arguments, context.scope, context.statement)
    context.scope.calls.append(call)
    return call


def _argument(context: Context, node: cst.Arg) -> Argument:
    keyword = node.keyword
    inner = node.value
    value = EXPRESSIONS[type(inner)](context, inner)
    star = node.star
    assert star == "" or star == "*" or star == "**"
    return Argument(context.spans[node], value, intern(keyword.value) if keyword else None, star)


@EXPRESSIONS.lowers("Subscript")
def lower_subscript(context: Context, node: cst.Subscript) -> Subscript:
    value = expression(context, node.value)
    parts = [_subscript_element(context, element) for element in node.slice]
    index = parts[0]
    if len(parts) > 1 or isinstance(node.slice[0].comma, cst.Comma):
        index = Sequence((parts[0].span[0], parts[-1].span[1]), "tuple", tuple(parts))
    return Subscript(context.spans[node], value, index)


def _subscript_element(context: Context, node: cst.SubscriptElement) -> Expression:
    inner = node.slice
    if isinstance(inner, cst.Slice):
        bounds = (
            optional(context, inner.lower),
            optional(context, inner.upper),
            optional(context, inner.step),
        )
        return Slice(context.spans[inner], bounds)
    assert isinstance(inner, cst.Index)
    value = expression(context, inner.value)
    return Starred(context.spans[inner], value) if inner.star else value


@EXPRESSIONS.lowers("UnaryOperation")
def lower_unary(context: Context, node: cst.UnaryOperation) -> Expression:
    operand = expression(context, node.expression)
    return Unary(context.spans[node], OPERATORS[type(node.operator).__name__], operand)


@EXPRESSIONS.lowers("BinaryOperation")
def lower_binary(context: Context, node: cst.BinaryOperation) -> Expression:
    left = EXPRESSIONS[type(node.left)](context, node.left)
    right = expression(context, node.right)
    return Binary(context.spans[node], OPERATORS[type(node.operator).__name__], left, right)


@EXPRESSIONS.lowers("BooleanOperation")
def lower_boolean(context: Context, node: cst.BooleanOperation) -> Expression:
    left = EXPRESSIONS[type(node.left)](context, node.left)
    right = expression(context, node.right)
    operator: Literal["and", "or"] = "and" if isinstance(node.operator, cst.And) else "or"
    return Boolean(context.spans[node], operator, left, right)


@EXPRESSIONS.lowers("Comparison")
def lower_comparison(context: Context, node: cst.Comparison) -> Expression:
    left = expression(context, node.left)
    chain: Expression | None = None
    for target in node.comparisons:
        right = expression(context, target.comparator)
        operator = OPERATORS[type(target.operator).__name__]
        part = Comparison((left.span[0], right.span[1]), operator, left, right)
        chain = Boolean((chain.span[0], right.span[1]), "and", chain, part) if chain else part
        left = right
    assert chain is not None
    return chain


@EXPRESSIONS.lowers("IfExp")
def lower_conditional(context: Context, node: cst.IfExp) -> Expression:
    test = expression(context, node.test)
    then = expression(context, node.body)
    return Conditional(context.spans[node], test, then, expression(context, node.orelse))


@EXPRESSIONS.lowers("Tuple")
def lower_tuple(context: Context, node: cst.Tuple) -> Expression:
    return Sequence(context.spans[node], "tuple", _elements(context, node.elements))


@EXPRESSIONS.lowers("List")
def lower_list(context: Context, node: cst.List) -> Expression:
    return Sequence(context.spans[node], "list", _elements(context, node.elements))


@EXPRESSIONS.lowers("Set")
def lower_set(context: Context, node: cst.Set) -> Expression:
    return Sequence(context.spans[node], "set", _elements(context, node.elements))


def _elements(context: Context, nodes: Iterable[cst.BaseElement]) -> tuple[Expression, ...]:
    return tuple(
        [
            Starred(context.spans[node], expression(context, node.value))
            if isinstance(node, cst.StarredElement)
            else expression(context, node.value)
            for node in nodes
        ]
    )


@EXPRESSIONS.lowers("StarredElement")
def lower_starred(context: Context, node: cst.StarredElement) -> Expression:
    return Starred(context.spans[node], expression(context, node.value))


@EXPRESSIONS.lowers("Dict")
def lower_dict(context: Context, node: cst.Dict) -> Expression:
    items: list[tuple[Expression | None, Expression]] = []
    for element in node.elements:
        key = expression(context, element.key) if isinstance(element, cst.DictElement) else None
        items.append((key, expression(context, element.value)))
    return Mapping(context.spans[node], tuple(items))


@EXPRESSIONS.lowers("NamedExpr")
def lower_named(context: Context, node: cst.NamedExpr) -> Expression:
    """`name := value` is its value; the name is bound beside it."""
    value = expression(context, node.value)
    target = node.target
    if isinstance(target, cst.Name):
        context.environment.bind(context.spans[target], target.value, value)
    return value


@EXPRESSIONS.lowers("Await")
def lower_await(context: Context, node: cst.Await) -> Expression:
    return Await(context.spans[node], expression(context, node.expression))


@EXPRESSIONS.lowers("Yield")
def lower_yield(context: Context, node: cst.Yield) -> Expression:
    inner = node.value
    delegates = isinstance(inner, cst.From)
    value = optional(context, inner.item if isinstance(inner, cst.From) else inner)
    result = Yield(context.spans[node], value, delegates)
    context.scope.yields.append(result)
    return result
