"""Keyed comprehensions: what `{name: make(name) for name in names}` makes under a key.

Question: which expression makes the item of a dict comprehension that is read by a constant key? It
is the element, with the key in place of the name that goes through the keys, and the item under the
key in place of the one that goes through the values of `.items()`, or at its place in place of what
is zipped with keys that are written out, by `dict(zip(…))` too. Each such expression is made once,
so that what it calls can be told apart. Followed are the steps of a backward slice to the one
comprehension; a second level or a condition is given up on, and so is a dict that a module which
makes or reads it writes to. Which expressions make the values of such a dict, or of one that is
written out, whatever the key, is asked apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, steps
from dlint.analyses.callees import root_name
from dlint.analyses.resizing import is_resized
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

_MOST = 40


class KeyedComprehensions:
    """Asks for items: `context[KeyedComprehensions]`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._made: dict[tuple[ex.Expression, str], ex.Expression | None] = {}
        self._paired: dict[ex.Call, ex.Comprehension | None] = {}

    def item(self, read: ex.Subscript, frame: CallContext) -> Located | None:
        """What makes the item that is read; None for anything else than such a dict."""
        key = ex.constant(read.index)
        if key is None or not isinstance(key.value, str):
            return None
        found, where = self._behind(read.value, frame)
        made = self._under(found, key) if isinstance(found, ex.Comprehension) else None
        return None if made is None else (made, where)

    def each_value(self, part: ex.Expression, frame: CallContext) -> list[Located]:
        """What makes the value of a dict that an expression is, whichever it is.

        `part` of `for name, part in d.items()` or `for part in d.values()`, or `d[name]`. Of a
        comprehension it is the element, which each round makes anew; of a dict that is written out
        one of all values. None are given for anything else.
        """
        whole = _taken_of(part)
        found, where = (None, frame) if whole is None else self._behind(whole, frame)
        if isinstance(found, ex.Comprehension):
            return [(found.element, where)] if found.key is not None else []
        if not isinstance(found, ex.Mapping) or any(key is None for key, _ in found.items):
            return []
        return [(value, where) for _, value in found.items]

    def _behind(
        self, whole: ex.Expression, where: CallContext
    ) -> tuple[ex.Comprehension | ex.Mapping | None, CallContext]:
        """The one comprehension, or display, that makes a dict which nobody writes to."""
        seen: set[Located] = set()
        while (found := self._comprehension(whole)) is None:
            if isinstance(whole, ex.Mapping):
                return whole, where
            if (whole, where) in seen or len(seen) > _MOST or _is_written(whole, where.scope):
                break
            seen.add((whole, where))
            further = list(steps(self._context, whole, where))
            if len(further) != 1:
                break
            ((whole, where),) = further
        return found, where

    def _comprehension(self, whole: ex.Expression) -> ex.Comprehension | None:
        """The comprehension that an expression is, or that `dict(zip(…))` is short for."""
        if not isinstance(whole, ex.Call):
            return whole if isinstance(whole, ex.Comprehension) else None
        if whole not in self._paired:
            self._paired[whole] = _of_pairs(whole)
        return self._paired[whole]

    def _under(self, whole: ex.Comprehension, key: ex.Constant) -> ex.Expression | None:
        known = (whole, str(key.value))
        if known not in self._made:
            plain = len(whole.iterables) == 1 and not whole.conditions and whole.key is not None
            goes = _Round(whole, key) if plain else None
            is_key = goes is not None and whole.key is not None and goes.of(whole.key) is key
            self._made[known] = goes.of(whole.element) if goes is not None and is_key else None
        return self._made[known]


def _taken_of(part: ex.Expression) -> ex.Expression | None:
    """The dict of which a loop, or a key, takes a value."""
    match part:
        case ex.Subscript():
            return part.value
        case ex.Item(position=1, starred=False, value=ex.Element() as pair):
            return ex.mapping_of(pair.source, "items")
        case ex.Element():
            return ex.mapping_of(part.source, "values")
    return None


def _is_written(whole: ex.Expression, scope: Scope) -> bool:
    """Whether the module writes an item of something of this name."""
    name = whole.name if isinstance(whole, ex.Reference | ex.Attribute) else None
    if name is None:
        return False
    return is_resized(root_name(whole, scope) or name, scope.module.scopes) or any(
        isinstance(store.target, ex.Subscript)
        and isinstance(store.target.value, ex.Reference | ex.Attribute)
        and store.target.value.name == name
        for each in scope.module.scopes
        for store in each.stores
    )


class _Round:
    """The round of a comprehension that has one key."""

    def __init__(self, whole: ex.Comprehension, key: ex.Constant) -> None:
        self._iterable, self._key = whole.iterables[0], key
        self._columns = _columns(whole, key)

    def of(self, part: ex.Expression) -> ex.Expression:
        """An expression as this round evaluates it, as far as it is made of its names."""
        match part:
            case ex.Reference() | ex.Item():
                return self._bound(ex.unnamed(part)) or part
            case ex.Call():
                given = tuple(map(self._argument, part.arguments))
                return ex.Call(part.span, part.function, given, part.scope, part.statement)
            case ex.Subscript():
                return ex.Subscript(part.span, self.of(part.value), self.of(part.index))
            case ex.Comparison():
                sides = self.of(part.left), self.of(part.right)
                return ex.Comparison(part.span, part.operator, *sides)
            case ex.Conditional():
                ways = (self.of(each) for each in (part.test, part.then, part.otherwise))
                return ex.Conditional(part.span, *ways)
        return part

    def _argument(self, argument: ex.Argument) -> ex.Argument:
        value = self.of(argument.value)
        return ex.Argument(argument.span, value, argument.keyword, argument.star)

    def _bound(self, origin: ex.Expression) -> ex.Expression | None:
        """What a name is in this round, if the comprehension binds it."""
        if isinstance(origin, ex.Element) and origin.iterable is self._iterable:
            return None if self._columns else self._key
        if not isinstance(origin, ex.Item) or origin.starred:
            return None
        element = origin.value
        if not isinstance(element, ex.Element) or element.iterable is not self._iterable:
            return None
        return self._columns.get(origin.position)


def _columns(whole: ex.Comprehension, key: ex.Constant) -> dict[int, ex.Expression]:
    """What the names of the round's pair are, by their positions; none for a single name."""
    iterable = whole.iterables[0]
    items = ex.mapping_of(iterable, "items")
    if items is not None:
        return {0: key, 1: ex.Subscript(iterable.span, items, key)}
    name = None if whole.key is None else ex.unnamed(whole.key)
    zipped = _zipped(iterable)
    if not isinstance(name, ex.Item) or not 0 <= name.position < len(zipped):
        return {}
    at = _place_of(key, zipped[name.position])
    found = {} if at is None else {n: _nth(part, at) for n, part in enumerate(zipped)}
    return found | {name.position: key} if found else {}


def _zipped(iterable: ex.Expression) -> list[ex.Expression]:
    """What `zip(names, parts)` goes through at once; nothing of anything else."""
    made = ex.unnamed(iterable)
    if not isinstance(made, ex.Call) or made.name != "zip" or any(a.star for a in made.arguments):
        return []
    return positional(made) if ex.is_free(made.function) else []


def _of_pairs(call: ex.Call) -> ex.Comprehension | None:
    """`{name: part for name, part in zip(…)}` of `dict(zip(…))`."""
    is_dict = call.name == "dict" and ex.is_free(call.function) and len(call.arguments) == 1
    iterable = written(call, 0) if is_dict else None
    if iterable is None or len(_zipped(iterable)) != 2:
        return None
    round_ = ex.Element(iterable.span, iterable)
    key, value = (ex.Item(iterable.span, round_, at) for at in range(2))
    return ex.Comprehension(call.span, "dict", value, key, (iterable,), ())


def _place_of(key: ex.Constant, names: ex.Expression) -> int | None:
    """Where a key stands last among names that are written out."""
    listed = ex.unnamed(names)
    items = listed.items if isinstance(listed, ex.Sequence) and listed.kind != "set" else ()
    values = [item.value if isinstance(item, ex.Constant) else None for item in items]
    places = [at for at, value in enumerate(values) if value == key.value]
    return places[-1] if places and None not in values else None


def _nth(part: ex.Expression, at: int) -> ex.Expression:
    return ex.Subscript(part.span, part, ex.Constant(part.span, at))
