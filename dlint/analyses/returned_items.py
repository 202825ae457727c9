"""Returned items: what stands under a key of what a function returns.

Question: what does a function certainly return under a key, or at a position? Followed: displays,
names, ways that meet, functions of the project to what they return, `tuple(x)` and its like, and
items that the function writes on every way to what a name stands for, the last one of a key. Given
up on: displays with stars, items that are written under tests or in loops, or by keys that are not
known, and what methods put in or take out. Budget: `_MOST` expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values.mutations import mutation_of_store

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Store
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.mutations import Mutation

Key = int | str
_MOST = 60
_KEEPING = frozenset({"builtins.tuple", "builtins.list", "builtins.dict"})
_READING = frozenset({"len", "tuple", "list", "dict", "zip", "enumerate", "isinstance"})
"""Functions of Python that leave what they are given as it is."""


def returned_items(context: AnalysisContext, function: Scope, key: Key) -> list[Located]:
    """What a function returns under a key, one for each way; none where that is not certain."""
    root = context.solver.root(function)
    waiting, seen = [(result, root) for result in function.returns], set[Located]()
    found = list[Located]()
    while waiting and len(seen) < _MOST:
        located = waiting.pop()
        if located in seen:
            continue
        seen.add(located)
        item = _item(*located, key)
        further = [] if item is not None else list(_behind(context, *located, key))
        if item is None and not further:
            return []
        found += [] if item is None else [(item, located[1])]
        waiting += further
    return [] if waiting or function.yields else found


def item_under(display: ex.Expression, key: Key) -> ex.Expression | None:
    """What a display certainly holds under a key, or at a position."""
    if isinstance(display, ex.Mapping):
        items = [v for k, v in display.items if (c := ex.constant(k)) and c.value == key]
        return items[-1] if items and all(k is not None for k, _ in display.items) else None
    if not isinstance(display, ex.Sequence) or not isinstance(key, int):
        return None
    starred = any(isinstance(item, ex.Starred) for item in display.items)
    return None if starred or not 0 <= key < len(display.items) else display.items[key]


def _item(expression: ex.Expression, frame: CallContext, key: Key) -> ex.Expression | None:
    """The item that a display holds, or that was certainly written to what a name stands for."""
    if not isinstance(expression, ex.Reference):
        return item_under(expression, key)
    written = _writes(expression, frame.scope)
    own = [mutation.value for mutation, _ in written if mutation.known_key == key]
    return own[-1] if own and not _is_unsure(expression, frame.scope, key) else None


def _behind(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, key: Key
) -> Iterator[Located]:
    """What an expression is one of, or the same items as."""
    if isinstance(expression, ex.Reference) and _is_unsure(expression, frame.scope, key):
        return
    if isinstance(expression, ex.Call) and set(library_callees(context, expression)) & _KEEPING:
        given = positional(expression)
        if len(given) == len(expression.arguments) == 1:
            yield given[0], frame
    else:
        yield from steps(context, expression, frame)


def _writes(name: ex.Reference, scope: Scope) -> list[tuple[Mutation, Store]]:
    """The items that a function writes to what a name of it stands for, in their order."""
    made = origin_of(name)
    found = ((mutation_of_store(store), store) for store in scope.stores)
    own = [(m, store) for m, store in found if m is not None and origin_of(m.target) is made]
    return sorted(own, key=lambda pair: pair[1].span)


def _is_unsure(name: ex.Reference, scope: Scope, key: Key) -> bool:
    """Whether something may stand under a key that is not seen, or not on every way."""
    for mutation, store in _writes(name, scope):
        if not mutation.may_concern(key):
            continue
        is_before = store.span[0] < name.span[0]
        if not (mutation.has_known_key and is_before and always_runs(store.statement, scope.body)):
            return True
    if any(True for _ in walk.inner_scopes(scope)):
        return True
    return any(_may_change(part, origin_of(name)) for part in parts_of(scope))


def _may_change(part: ex.Expression, made: ex.Expression) -> bool:
    """Whether an expression hands on what a name stands for, or asks a method of it."""
    if isinstance(part, ex.Call):
        callee = part.function
        if isinstance(callee, ex.Attribute) and origin_of(callee.value) is made:
            return True
        given = (argument.value for argument in part.arguments)
        return part.name not in _READING and any(origin_of(one) is made for one in given)
    if isinstance(part, ex.Sequence):
        return any(origin_of(item) is made for item in part.items)
    return isinstance(part, ex.Conditional | ex.Boolean | ex.Element) and any(
        origin_of(one) is made for one in walk.children(part)
    )
