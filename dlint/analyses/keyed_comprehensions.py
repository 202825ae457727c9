"""Keyed comprehensions: what `{name: make(name) for name in names}` makes under a key.

Question: which expression makes the item of a dict comprehension that is read by a constant key? It
is the element, with the key in place of the name that goes through the keys, and the item under the
key in place of the one that goes through the values of `.items()`. Each such expression is made
once, so that what it calls can be told apart. Followed are the steps of a backward slice to the one
comprehension; a second level or a condition is given up on, and so is a dict that a module which
makes or reads it writes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, steps
from dlint.analyses.callees import root_name
from dlint.analyses.volume.sizes import is_resized
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

    def item(self, read: ex.Subscript, frame: CallContext) -> Located | None:
        """What makes the item that is read; None for anything else than such a dict."""
        key = ex.constant(read.index)
        if key is None or not isinstance(key.value, str):
            return None
        whole, where, seen = read.value, frame, set[Located]()
        while not isinstance(whole, ex.Comprehension):
            if (whole, where) in seen or len(seen) > _MOST or _is_written(whole, where.scope):
                return None
            seen.add((whole, where))
            further = list(steps(self._context, whole, where))
            if len(further) != 1:
                return None
            ((whole, where),) = further
        made = self._under(whole, key)
        return None if made is None else (made, where)

    def _under(self, whole: ex.Comprehension, key: ex.Constant) -> ex.Expression | None:
        known = (whole, str(key.value))
        if known not in self._made:
            plain = len(whole.iterables) == 1 and not whole.conditions and whole.key is not None
            goes = _Round(whole.iterables[0], key) if plain else None
            is_key = goes is not None and whole.key is not None and goes.of(whole.key) is key
            self._made[known] = goes.of(whole.element) if goes is not None and is_key else None
        return self._made[known]


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

    def __init__(self, iterable: ex.Expression, key: ex.Constant) -> None:
        self._iterable, self._key = iterable, key
        self._items = _gone_through_by_items(iterable)

    def of(self, part: ex.Expression) -> ex.Expression:
        """An expression as this round evaluates it, as far as it is made of its names."""
        match part:
            case ex.Reference():
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
            return self._key if self._items is None else None
        if self._items is None or not isinstance(origin, ex.Item) or origin.starred:
            return None
        element = origin.value
        if not isinstance(element, ex.Element) or element.iterable is not self._iterable:
            return None
        first = origin.position == 0
        return self._key if first else ex.Subscript(origin.span, self._items, self._key)


def _gone_through_by_items(iterable: ex.Expression) -> ex.Expression | None:
    """The dict of `for key, value in pipelines.items()`."""
    is_items = isinstance(iterable, ex.Call) and iterable.name == "items"
    callee = iterable.function if is_items and isinstance(iterable, ex.Call) else None
    return callee.value if isinstance(callee, ex.Attribute) else None
