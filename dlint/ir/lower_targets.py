"""What assignments, loops and comprehensions write to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import libcst as cst

from dlint.findings.places import Span
from dlint.ir.expressions import (
    Attribute,
    Comprehension,
    Definition,
    Element,
    Expression,
    Item,
    Subscript,
)
from dlint.ir.lower_context import EXPRESSIONS, Context, expression, optional
from dlint.ir.module import Store


@dataclass(slots=True)
class Written:
    """The names and places that one statement writes."""

    bind: Callable[[Span, str, Expression], Definition]
    definitions: list[Definition] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)


def write(context: Context, target: cst.CSTNode, value: Expression, written: Written) -> None:
    """Bind `value` to a target: a name, an attribute, an item or a nest of these."""
    if isinstance(target, cst.Name):
        span = context.spans[target]
        written.definitions.append(written.bind(span, target.value, value))
    elif isinstance(target, cst.Tuple | cst.List):
        _unpack(context, target.elements, value, written)
    else:
        place = expression(context, target)
        if isinstance(place, Attribute | Subscript):
            written.stores.append(store(context, place, value))


def store(context: Context, place: Attribute | Subscript, value: Expression) -> Store:
    """Note that the current statement writes `value` to `place`."""
    result = Store(place.span, place, value, context.scope, context.statement)
    context.scope.stores.append(result)
    return result


def _unpack(
    context: Context, elements: Sequence[cst.BaseElement], value: Expression, written: Written
) -> None:
    behind = False
    for position, element in enumerate(elements):
        starred = isinstance(element, cst.StarredElement)
        index = position - len(elements) if behind else position
        item = Item(context.spans[element], value, index, starred)
        write(context, element.value, item, written)
        behind = behind or starred


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """The names that a target binds."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from target_names(element.value)


_KINDS: dict[str, Literal["list", "set", "dict", "generator"]] = {
    "ListComp": "list",
    "SetComp": "set",
    "GeneratorExp": "generator",
    "DictComp": "dict",
    "StarredDictComp": "dict",
}


@EXPRESSIONS.lowers(*_KINDS)
def lower_comprehension(context: Context, node: cst.BaseComp) -> Expression:
    names = context.environment.state.names
    clauses = _clauses(node.for_in)
    hidden = {name: names.get(name) for clause in clauses for name in target_names(clause.target)}
    iterables: list[Expression] = []
    conditions: list[Expression] = []
    for clause in clauses:
        iterables.append(_clause(context, clause))
        conditions.extend(expression(context, test.test) for test in clause.ifs)
    key = optional(context, getattr(node, "key", None))
    element = expression(context, _element_of(node))
    for name, definition in hidden.items():
        context.environment.restore(name, definition)
    kind = _KINDS[type(node).__name__]
    return Comprehension(
        context.spans[node], kind, element, key, tuple(iterables), tuple(conditions)
    )


def _element_of(node: cst.BaseComp) -> cst.BaseExpression:
    element = node.elt if isinstance(node, cst.BaseSimpleComp) else getattr(node, "value", None)
    assert isinstance(element, cst.BaseExpression)
    return element


def _clauses(first: cst.CompFor) -> list[cst.CompFor]:
    clauses = [first]
    while (inner := clauses[-1].inner_for_in) is not None:
        clauses.append(inner)
    return clauses


def _clause(context: Context, clause: cst.CompFor) -> Expression:
    iterable = expression(context, clause.iter)
    element = Element(context.spans[clause.target], iterable)
    write(context, clause.target, element, Written(context.environment.bind_inside))
    return iterable
