"""What the variables of a loop go through, by the form of the loop alone."""

from __future__ import annotations

from dlint.ir.expressions import Call, Element, Expression, Item, mapping_of


def whole_of(part: Expression) -> Expression | None:
    """What a name goes through: `d` of `v` in `for k, v in d.items()`; None for keys and counts.

    Also in step with others: `zip(meters, losses)`.
    """
    match part:
        case Item(value=Element() as element, position=1, starred=False):
            source = element.source
            return values_of(source) or _zipped(source, 1)
        case Item(value=Element() as element, position=position, starred=False):
            return _zipped(element.source, position)
        case Element(iterable=iterable):
            return mapping_of(part.source, "values") or iterable
    return None


def values_of(iterable: Expression) -> Expression | None:
    """What goes round beside keys or counts: `d` of `d.items()`, `xs` of `enumerate(xs)`."""
    return mapping_of(iterable, "items") or _counted(iterable)


def _zipped(call: Expression, position: int) -> Expression | None:
    """The argument of `zip` that one of several loop variables goes through."""
    given = call.arguments if isinstance(call, Call) and call.name == "zip" else ()
    plain = not any(argument.star for argument in given)
    return given[position].value if plain and 0 <= position < len(given) else None


def _counted(call: Expression) -> Expression | None:
    is_count = isinstance(call, Call) and call.name == "enumerate" and call.arguments
    return call.arguments[0].value if isinstance(call, Call) and is_count else None
