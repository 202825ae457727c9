"""Formulas: a number as arithmetic on lengths, and on other numbers that are not known.

Question: which number would an expression be, if these lengths and these parameters were so? A
formula is a tree of operations whose leaves are numbers, lengths of objects, and names of which
nothing is known. It is computed as Python would: `int(385 * 0.1)` is 38. Followed is what
`dlint.analyses.backward` follows, and `len`, `int`, `float`, `round`, `abs`, `min`, `max`, `sum` of
a display, `math.floor`, `math.ceil` and the operators of numbers; a default that nobody overrides
counts, and is named.

Lists of numbers are those of `dlint.analyses.lists`, repeated ones, and what comprehensions make of
one. Given up on (None): what differs by path, and calls of anything else. A parameter that callers
give different numbers, and an attribute that nobody is seen to write, are leaves of their own.
Budget: that of a backward slice; lists of at most `_MOST_REPEATED` items.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.lists import called_items, list_behind, values_behind
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir.loop_parts import values_of
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.constant_folding import ARITHMETIC
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

Number = int | float
_MOST_REPEATED = 200
_LARGEST = 10**15
"""Numbers beyond this are not computed with."""

_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    name: ARITHMETIC[name] for name in ("+", "-", "*", "/", "//", "%")
}
_SIGNS: dict[str, Callable[[Number], Number]] = {"-": operator.neg, "+": operator.pos}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.round": round,
    "builtins.abs": abs,
    "builtins.min": min,
    "builtins.max": max,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
    "numpy.floor": lambda number: float(math.floor(number)),
    "numpy.ceil": lambda number: float(math.ceil(number)),
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number that is not known: the length of something (`is_length`), or anything else.

    `of` tells what it is the length of, or which number it is; `located` is one place of it.
    """

    of: object
    is_length: bool
    located: Located = field(compare=False)


@dataclass(frozen=True, slots=True)
class Formula:
    """A number (`known`), a leaf, or a function of other formulas."""

    known: Number | None = None
    leaf: Leaf | None = None
    function: Callable[..., Number] | None = None
    parts: tuple[Formula, ...] = ()
    assumed: str | None = None

    def leaves(self) -> frozenset[Leaf]:
        """The numbers in it that are not known."""
        own = frozenset(() if self.leaf is None else (self.leaf,))
        return own.union(*(part.leaves() for part in self.parts))

    def assumptions(self) -> tuple[str, ...]:
        """The defaults that it rests on."""
        own = [] if self.assumed is None else [self.assumed]
        return tuple(dict.fromkeys((*own, *(a for part in self.parts for a in part.assumptions()))))

    def computed(self, given: Mapping[Leaf, Number]) -> Number | None:
        """The number that it comes to; None where a leaf is not given, or Python would raise."""
        if self.leaf is not None:
            return given.get(self.leaf)
        if self.function is None:
            return self.known
        parts = [part.computed(given) for part in self.parts]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        try:
            found = self.function(*known)
        except (ArithmeticError, TypeError, ValueError):
            return None
        return found if abs(found) < _LARGEST else None


def goes_beside(listed: ex.Expression) -> bool:
    """Whether a comprehension goes round what stands beside keys or counts."""
    if not isinstance(listed, ex.Comprehension):
        return False
    return any(values_of(ex.unnamed(each)) is not None for each in listed.iterables)


_Table = dict[type, Callable[[Slice[Formula | None], Any, CallContext], Formula | None]]


class Formulas:
    """Asks for formulas: `context[Formulas]`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def of(self, expression: ex.Expression, frame: CallContext) -> Formula | None:
        """What an expression is computed from, in one activation or over all."""
        return Slice(self._context, _QUESTION).of(expression, frame)

    def length(self, expression: ex.Expression, frame: CallContext) -> Leaf:
        """The length of an object, as formulas speak of it."""
        return Leaf(_identity(self._context, expression, frame), True, (expression, frame))

    def each_of(self, expression: ex.Expression, frame: CallContext) -> list[Formula] | None:
        """What the items of a list of numbers are computed from; None where they are not known."""
        found = list_behind(self._context, expression, frame)
        items = [] if found is None else self._items(*found)
        known = [formula for formula in items if formula is not None]
        return known if known and len(known) == len(items) else None

    def _items(self, listed: ex.Expression, frame: CallContext) -> list[Formula | None]:
        match listed:
            case ex.Sequence():
                return [self.of(item, frame) for item in listed.items]
            case ex.Comprehension(iterables=(iterable,), conditions=()):
                items = [] if listed.kind != "list" else self._rounds(iterable, frame)
                return [self._made(listed, frame, item) for item in items]
            case ex.Binary(operator="*"):
                return self._repeated(listed, frame)
            case ex.Binary(operator="+"):
                return self._joined(listed, frame)
            case ex.Mapping():
                return [self.of(value, frame) for _, value in listed.items]
            case ex.Call(name="range"):
                return [Formula(number) for number in self._counted(listed, frame)]
            case ex.Call():
                return [self.of(*item) for item in called_items(self._context, listed, frame)]
        return []

    def _joined(self, listed: ex.Binary, frame: CallContext) -> list[Formula | None]:
        """`[n - 1] + [1]`."""
        parts = [self._items_of(side, frame) for side in (listed.left, listed.right)]
        is_new = isinstance(listed.left, ex.Sequence) and not listed.left.items
        return parts[0] + parts[1] if parts[1] and (parts[0] or is_new) else []

    def _counted(self, call: ex.Call, frame: CallContext) -> range:
        """The numbers of a `range(…)`; none where they are not known, or too many."""
        bounds = [None if f is None else f.known for f in self._bounds(call, frame)]
        known = [bound for bound in bounds if isinstance(bound, int)]
        fits = 0 < len(known) == len(bounds) <= 3 and 0 not in known[2:]
        counted = range(*known) if fits else range(0)
        return counted if len(counted) <= _MOST_REPEATED else range(0)

    def _bounds(self, call: ex.Call, frame: CallContext) -> list[Formula | None]:
        return [self.of(bound, frame) for bound in positional(call)]

    def _items_of(self, iterable: ex.Expression, frame: CallContext) -> list[Formula | None]:
        found = list_behind(self._context, iterable, frame)
        return [] if found is None or goes_beside(found[0]) else self._items(*found)

    def _rounds(self, iterable: ex.Expression, frame: CallContext) -> list[Formula | None]:
        """What goes round in a comprehension, beside keys or counts too."""
        source = ex.unnamed(iterable)
        whole = ex.mapping_of(source, "items")
        found = None if whole is None else values_behind(self._context, whole, frame)
        if found is not None:
            return self._items(*found)
        return self._items_of(values_of(source) or iterable, frame)

    def _made(
        self, listed: ex.Comprehension, frame: CallContext, item: Formula | None
    ) -> Formula | None:
        """What a comprehension makes of one item of what it goes through."""
        (iterable,) = listed.iterables

        is_counted = values_of(ex.unnamed(iterable)) is not None

        def of_element(_: object, element: ex.Element, __: CallContext) -> Formula | None:
            return item if element.iterable is iterable and not is_counted else None

        def of_item(_: object, part: ex.Item, __: CallContext) -> Formula | None:
            is_own = isinstance(part.value, ex.Element) and part.value.iterable is iterable
            return item if is_own and is_counted and part.position == 1 else None

        def of_name(
            slice_: Slice[Formula | None], name: ex.Reference, where: CallContext
        ) -> Formula | None:
            made = origin_of(name)
            goes_round = isinstance(made.value if isinstance(made, ex.Item) else made, ex.Element)
            return None if goes_round else _of_name(slice_, name, where)

        own: _Table = {ex.Element: of_element, ex.Item: of_item, ex.Reference: of_name}
        table = {**_TABLE, **own}
        return Slice(self._context, Question(None, _joined, table)).of(listed.element, frame)

    def _repeated(self, listed: ex.Binary, frame: CallContext) -> list[Formula | None]:
        """`[n // 4] * 4`."""
        for display, number in ((listed.left, listed.right), (listed.right, listed.left)):
            items = self._items_of(display, frame)
            known = self.of(number, frame) if items else None
            times = None if known is None else known.known
            if isinstance(times, int) and 0 < times * len(items) <= _MOST_REPEATED:
                return items * times
        return []


# -- the transfer table


def _joined(found: Sequence[Formula | None]) -> Formula | None:
    """One formula, where all are the same."""
    different = set(found)
    return different.pop() if len(different) == 1 else None


def _known(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Formula | None:
    """The number that an expression is on every path."""
    found = context.evaluator.of(expression, frame)
    numbers = {a.value.value for a in found if isinstance(a.value, Literal)}
    number = numbers.pop() if len(numbers) == 1 else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if any(not isinstance(a.value, Literal) for a in found):
        return None
    return Formula(number, assumed=next((a.assumed for a in found if a.assumed), None))


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> Formula | None:
    value = constant.value
    return None if isinstance(value, bool | str) or value is None else Formula(value)


def _of_name(
    slice_: Slice[Formula | None], name: ex.Reference, frame: CallContext
) -> Formula | None:
    return _known(slice_.context, name, frame)


def _of_parameter(
    slice_: Slice[Formula | None], parameter: ex.Parameter, frame: CallContext
) -> Formula | None:
    known = _known(slice_.context, parameter, frame)
    found = known or slice_.joined(steps(slice_.context, parameter, frame))
    return found or Formula(leaf=Leaf((frame.scope, parameter.name), False, (parameter, frame)))


def _of_attribute(
    slice_: Slice[Formula | None], attribute: ex.Attribute, frame: CallContext
) -> Formula | None:
    """An attribute of what is given to a function, which nobody here is seen to write."""
    known = _known(slice_.context, attribute, frame)
    if known is not None:
        return known
    found = slice_.joined(steps(slice_.context, attribute, frame))
    if found is not None or any(slice_.context.project.writing(attribute.name)):
        return found
    whose = _identity(slice_.context, attribute, frame)
    return Formula(leaf=Leaf(whose, False, (attribute, frame)))


def _of_binary(
    slice_: Slice[Formula | None], binary: ex.Binary, frame: CallContext
) -> Formula | None:
    function = _OPERATORS.get(binary.operator)
    return _applied(function, [slice_.of(side, frame) for side in (binary.left, binary.right)])


def _of_unary(slice_: Slice[Formula | None], unary: ex.Unary, frame: CallContext) -> Formula | None:
    return _applied(_SIGNS.get(unary.operator), [slice_.of(unary.operand, frame)])


def _of_call(slice_: Slice[Formula | None], call: ex.Call, frame: CallContext) -> Formula | None:
    given = positional(call)
    if isinstance(call.function, ex.Attribute) and call.name == "__len__" and not call.arguments:
        return _length(slice_.context, call.function.value, frame)
    for path in library_callees(slice_.context, call) if len(given) == len(call.arguments) else ():
        if path == "builtins.len" and len(given) == 1:
            return _length(slice_.context, given.pop(), frame)
        if path == "builtins.sum" and len(given) == 1:
            return _sum(slice_, given.pop(), frame)
        if path in _FUNCTIONS:
            return _applied(_FUNCTIONS[path], [slice_.of(each, frame) for each in given])
    return None


def _sum(
    slice_: Slice[Formula | None], listed: ex.Expression, frame: CallContext
) -> Formula | None:
    found = list_behind(slice_.context, listed, frame)
    if found is None or not isinstance(found[0], ex.Sequence):
        return None
    return _applied(_total, [slice_.of(item, found[1]) for item in found[0].items])


def _total(*numbers: Number) -> Number:
    return sum(numbers)


def _applied(
    function: Callable[..., Number] | None, parts: Sequence[Formula | None]
) -> Formula | None:
    known = tuple(part for part in parts if part is not None)
    if function is None or len(known) < len(parts):
        return None
    return Formula(function=function, parts=known)


def _length(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> Formula:
    return Formula(leaf=context[Formulas].length(expression, frame))


def _identity(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> tuple[object, ...]:
    """What tells an object from others: the call that makes it, or the name it is given by."""
    names: tuple[str, ...] = ()
    seen: set[Located] = set()
    while (expression, frame) not in seen and not isinstance(expression, ex.Call):
        seen.add((expression, frame))
        further = list(steps(context, expression, frame))
        if len(further) == 1:
            ((expression, frame),) = further
        elif isinstance(expression, ex.Attribute):
            names, expression = (expression.name, *names), expression.value
        else:
            break
    match expression:
        case ex.Parameter():
            return frame.scope, expression.name, names
        case ex.Reference():
            return frame.scope.module, expression.name, names
    return expression, names


_TABLE: _Table = {
    ex.Constant: _of_constant,
    ex.Reference: _of_name,
    ex.Parameter: _of_parameter,
    ex.Attribute: _of_attribute,
    ex.Binary: _of_binary,
    ex.Unary: _of_unary,
    ex.Call: _of_call,
}
_QUESTION: Question[Formula | None] = Question(None, _joined, _TABLE)
