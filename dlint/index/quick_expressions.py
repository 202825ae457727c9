"""Expressions by Python's own parser, as the nodes that libcst would make of them.

No more is made of a node than lowering asks for, and the span is noted beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import libcst as cst

from dlint.index.quick_strings import LITERAL, literal
from dlint.index.quick_text import Text, Unsuited, made
from dlint.index.spans import seek
from dlint.places import Span

OPERATORS: Final[dict[type, cst.CSTNode]] = {
    getattr(ast, theirs): made(getattr(cst, ours))
    for ours, theirs in {
        "Add": "Add",
        "BitAnd": "BitAnd",
        "BitInvert": "Invert",
        "BitOr": "BitOr",
        "BitXor": "BitXor",
        "Divide": "Div",
        "Equal": "Eq",
        "FloorDivide": "FloorDiv",
        "GreaterThan": "Gt",
        "GreaterThanEqual": "GtE",
        "In": "In",
        "Is": "Is",
        "IsNot": "IsNot",
        "LeftShift": "LShift",
        "LessThan": "Lt",
        "LessThanEqual": "LtE",
        "MatrixMultiply": "MatMult",
        "Minus": "USub",
        "Modulo": "Mod",
        "Multiply": "Mult",
        "Not": "Not",
        "NotEqual": "NotEq",
        "NotIn": "NotIn",
        "Plus": "UAdd",
        "Power": "Pow",
        "RightShift": "RShift",
        "Subtract": "Sub",
        "And": "And",
        "Or": "Or",
    }.items()
}
"""What libcst makes of the operators of Python's tree: all that is asked is the class."""
_COMMA: Final = made(cst.Comma)


class Expressions:
    """Makes nodes of expressions and notes their spans."""

    def __init__(self, text: str) -> None:
        self.places = Text(text)
        self.text = text
        self.spans: dict[cst.CSTNode, Span] = {}

    def of(self, node: ast.AST) -> Any:
        """The node of an expression. Raises Unsuited."""
        make = _MAKERS.get(type(node))
        if make is None:
            raise Unsuited
        span = self.places.span(node)
        found = make(self, node, span)
        self.spans.setdefault(found, span)
        return found

    def optional(self, node: ast.AST | None) -> Any:
        """The same of one that may be left out."""
        return None if node is None else self.of(node)

    def name(self, text: str, start: int | None = None) -> cst.Name:
        """A name; with a place, where it must stand there."""
        found = made(cst.Name, value=text)
        if start is not None:
            self.spans[found] = (start, start + len(text))
            if not self.text.startswith(text, start):
                raise Unsuited  # written with other characters, or not where it was thought
        return found

    def parameters(self, node: ast.arguments) -> cst.Parameters:
        """The parameters of a function or a lambda."""
        plain = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(plain) - len(node.defaults)) + list(node.defaults)
        every = [self._parameter(a, d) for a, d in zip(plain, defaults, strict=True)]
        count = len(node.posonlyargs)
        pairs = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        return made(
            cst.Parameters,
            posonly_params=every[:count],
            params=every[count:],
            star_arg=self._starred(node.vararg),
            kwonly_params=[self._parameter(a, d) for a, d in pairs],
            star_kwarg=self._starred(node.kwarg),
        )

    def _starred(self, node: ast.arg | None) -> cst.Param | None:
        return None if node is None else self._parameter(node, None)

    def _parameter(self, node: ast.arg, default: ast.expr | None) -> cst.Param:
        start = self.places.offset(node.lineno, node.col_offset)
        annotation = node.annotation
        return made(
            cst.Param,
            name=self.name(node.arg, start),
            annotation=None if annotation is None else self.annotation(annotation),
            default=self.optional(default),
        )

    def annotation(self, node: ast.expr) -> cst.Annotation:
        """What stands behind a colon or an arrow."""
        return made(cst.Annotation, annotation=self.of(node))

    def arguments(
        self, nodes: Iterable[ast.expr], keywords: Iterable[ast.keyword], floor: int
    ) -> list[cst.Arg]:
        """What is given in parentheses that open at `floor`, in the order of the text."""
        found: list[cst.Arg] = []
        given: list[ast.expr | ast.keyword] = [*nodes, *keywords]
        if keywords:
            given.sort(key=lambda one: (one.lineno, one.col_offset))
        behind = floor + 1
        for one in given:
            argument = self._argument(one, behind, floor)
            behind = self.places.span(one)[1]
            found.append(argument)
        return found

    def _argument(self, node: ast.expr | ast.keyword, behind: int, floor: int) -> cst.Arg:
        places = self.places
        span, star, keyword = places.span(node), "", None
        if isinstance(node, ast.keyword):
            value = self.of(node.value)
            if node.arg is None:
                star = "**"
            else:
                keyword = self.name(node.arg, span[0])
        elif isinstance(node, ast.Starred):
            value, star = self.of(node.value), "*"
        elif span[0] == floor:  # a generator in the parentheses of the call
            value = self.of(node)
            span = self.spans[value]
        else:
            value = self.of(node)
            span = places.enclosed(behind, span)
        argument = made(cst.Arg, star=star, keyword=keyword, value=value)
        self.spans[argument] = span
        return argument

    def elements(self, nodes: Sequence[ast.expr], behind: int) -> list[cst.BaseElement]:
        """The items of a display."""
        found: list[cst.BaseElement] = []
        for node in nodes:
            span = self.places.span(node)
            if isinstance(node, ast.Starred):
                found.append(self.of(node))
            else:
                element = made(cst.Element, value=self.of(node))
                self.spans[element] = self.places.enclosed(behind, span)
                found.append(element)
            behind = span[1]
        return found

    def tuple_of(self, nodes: Sequence[ast.expr], span: Span) -> cst.Tuple:
        """A tuple, of which parentheses around it are no part."""
        if not nodes:
            found = made(cst.Tuple, elements=[])
            self.spans[found] = (span[0] + 1, span[0] + 1)
            return found
        first, last = self.places.span(nodes[0]), self.places.span(nodes[-1])
        if self.places.opens_around(span, first):
            span = self.places.inside(span, last)
        found = made(cst.Tuple, elements=self.elements(nodes, span[0]))
        self.spans[found] = span
        return found

    def clauses(self, nodes: Sequence[ast.comprehension]) -> cst.CompFor:
        """The `for` and `if` clauses of a comprehension."""
        inner: cst.CompFor | None = None
        for node in reversed(nodes):
            inner = made(
                cst.CompFor,
                target=self.of(node.target),
                iter=self.of(node.iter),
                ifs=[made(cst.CompIf, test=self.of(test)) for test in node.ifs],
                inner_for_in=inner,
            )
        assert inner is not None
        return inner


def _name(_: Expressions, node: ast.Name, span: Span) -> cst.Name:
    if span[1] - span[0] != len(node.id):
        raise Unsuited
    return made(cst.Name, value=node.id)


def _constant(make: Expressions, node: ast.Constant, span: Span) -> cst.CSTNode:
    value = node.value
    text = make.text[span[0] : span[1]]
    if isinstance(value, str | bytes):
        match = LITERAL.match(text)
        if match is not None and match.end() == len(text):
            return made(cst.SimpleString, value=text)
        return literal(make, span)
    if value is None or isinstance(value, bool):
        return made(cst.Name, value=text)
    if value is ...:
        return made(cst.Ellipsis)
    kinds: dict[type, type[cst.CSTNode]] = {int: cst.Integer, float: cst.Float}
    return made(kinds.get(type(value), cst.Imaginary), value=text)


def _literal(make: Expressions, _: ast.JoinedStr, span: Span) -> cst.CSTNode:
    return literal(make, span)


def _attribute(make: Expressions, node: ast.Attribute, _: Span) -> cst.Attribute:
    return made(cst.Attribute, value=make.of(node.value), attr=made(cst.Name, value=node.attr))


def _call(make: Expressions, node: ast.Call, _: Span) -> cst.Call:
    function = make.of(node.func)
    opening = seek(make.text, "(", make.places.span(node.func)[1])
    return made(cst.Call, func=function, args=make.arguments(node.args, node.keywords, opening))


def _subscript(make: Expressions, node: ast.Subscript, _: Span) -> cst.Subscript:
    value, index = make.of(node.value), node.slice
    span = make.places.span(index)
    parts: list[ast.expr] = [index]
    comma: object = None
    if isinstance(index, ast.Tuple) and index.elts:
        first = make.places.span(index.elts[0])
        if not make.places.opens_around(span, first):
            parts = index.elts
            comma = _COMMA if make.text[span[1] - 1] == "," else None
    elements = [made(cst.SubscriptElement, slice=_index(make, part), comma=comma) for part in parts]
    return made(cst.Subscript, value=value, slice=elements)


def _index(make: Expressions, node: ast.expr) -> cst.CSTNode:
    span = make.places.span(node)
    if isinstance(node, ast.Slice):
        bounds = [make.optional(bound) for bound in (node.lower, node.upper, node.step)]
        found: cst.CSTNode = made(cst.Slice, lower=bounds[0], upper=bounds[1], step=bounds[2])
    elif isinstance(node, ast.Starred):
        found = made(cst.Index, value=make.of(node.value), star="*")
    else:
        found = made(cst.Index, value=make.of(node), star=None)
    make.spans[found] = span
    return found


def _unary(make: Expressions, node: ast.UnaryOp, _: Span) -> cst.CSTNode:
    operator = OPERATORS[type(node.op)]
    return made(cst.UnaryOperation, operator=operator, expression=make.of(node.operand))


def _binary(make: Expressions, node: ast.BinOp, _: Span) -> cst.CSTNode:
    left, right = make.of(node.left), make.of(node.right)
    return made(cst.BinaryOperation, left=left, operator=OPERATORS[type(node.op)], right=right)


def _boolean(make: Expressions, node: ast.BoolOp, span: Span) -> cst.CSTNode:
    operator = OPERATORS[type(node.op)]
    left, behind = make.of(node.values[0]), make.places.span(node.values[0])[1]
    for value in node.values[1:]:
        right = make.of(value)
        end = make.places.enclosed(behind, make.places.span(value))[1]
        left = made(cst.BooleanOperation, left=left, operator=operator, right=right)
        make.spans[left] = (span[0], end)
        behind = make.places.span(value)[1]
    make.spans[left] = span
    return left  # type: ignore[no-any-return]


def _comparison(make: Expressions, node: ast.Compare, _: Span) -> cst.CSTNode:
    left = make.of(node.left)
    targets = [
        made(cst.ComparisonTarget, operator=OPERATORS[type(op)], comparator=make.of(right))
        for op, right in zip(node.ops, node.comparators, strict=True)
    ]
    return made(cst.Comparison, left=left, comparisons=targets)


def _conditional(make: Expressions, node: ast.IfExp, _: Span) -> cst.CSTNode:
    test, body = make.of(node.test), make.of(node.body)
    return made(cst.IfExp, test=test, body=body, orelse=make.of(node.orelse))


def _tuple(make: Expressions, node: ast.Tuple, span: Span) -> cst.CSTNode:
    return make.tuple_of(node.elts, span)


def _list(make: Expressions, node: ast.List, span: Span) -> cst.CSTNode:
    return made(cst.List, elements=make.elements(node.elts, span[0] + 1))


def _set_display(make: Expressions, node: ast.Set, span: Span) -> cst.CSTNode:
    return made(cst.Set, elements=make.elements(node.elts, span[0] + 1))


def _star(make: Expressions, node: ast.Starred, _: Span) -> cst.CSTNode:
    return made(cst.StarredElement, value=make.of(node.value))


def _dict(make: Expressions, node: ast.Dict, _: Span) -> cst.CSTNode:
    elements = [
        made(cst.StarredDictElement, value=make.of(value))
        if key is None
        else made(cst.DictElement, key=make.of(key), value=make.of(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return made(cst.Dict, elements=elements)


def _await(make: Expressions, node: ast.Await, _: Span) -> cst.CSTNode:
    return made(cst.Await, expression=make.of(node.value))


def _yield(make: Expressions, node: ast.Yield, _: Span) -> cst.CSTNode:
    return made(cst.Yield, value=make.optional(node.value))


def _yield_from(make: Expressions, node: ast.YieldFrom, _: Span) -> cst.CSTNode:
    return made(cst.Yield, value=made(cst.From, item=make.of(node.value)))


def _lambda(make: Expressions, node: ast.Lambda, _: Span) -> cst.CSTNode:
    return made(cst.Lambda, params=make.parameters(node.args), body=make.of(node.body))


def _comprehension(kind: type[cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    def make_one(make: Expressions, node: Any, _: Span) -> cst.CSTNode:
        return made(kind, elt=make.of(node.elt), for_in=make.clauses(node.generators))

    return make_one


def _dict_comprehension(make: Expressions, node: ast.DictComp, _: Span) -> cst.CSTNode:
    key, value = make.of(node.key), make.of(node.value)
    return made(cst.DictComp, key=key, value=value, for_in=make.clauses(node.generators))


def _generator(make: Expressions, node: ast.GeneratorExp, span: Span) -> cst.CSTNode:
    found = made(cst.GeneratorExp, elt=make.of(node.elt), for_in=make.clauses(node.generators))
    clause = node.generators[-1]
    last = make.places.span(clause.ifs[-1] if clause.ifs else clause.iter)
    make.spans[found] = make.places.inside(span, last)
    return found


_MAKERS: Final[dict[type, Callable[[Expressions, Any, Span], cst.CSTNode]]] = {
    ast.Attribute: _attribute,
    ast.Await: _await,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Call: _call,
    ast.Compare: _comparison,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.DictComp: _dict_comprehension,
    ast.GeneratorExp: _generator,
    ast.IfExp: _conditional,
    ast.JoinedStr: _literal,
    ast.Lambda: _lambda,
    ast.List: _list,
    ast.ListComp: _comprehension(cst.ListComp),
    ast.Name: _name,
    ast.Set: _set_display,
    ast.SetComp: _comprehension(cst.SetComp),
    ast.Starred: _star,
    ast.Subscript: _subscript,
    ast.Tuple: _tuple,
    ast.UnaryOp: _unary,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
