"""Lists: the expression that makes a list, and the items of one that a record holds.

Question: which items does a list certainly have, in which order? Followed is what
`dlint.analyses.backward` follows, `list(…)` and `tuple(…)` of one, the values of a dict that is
written out or that a comprehension makes for each key of another, and the fields of a record, which
`astuple` and its likes read, or which is a tuple itself; and what is appended to a list before it
is read, once or in each round of a loop, also by the one function that an empty list is handed to,
through up to `_DEEP` of them. Given up on: displays with stars or of more than `_MOST_ITEMS` items,
and a list that the function, or one that it hands the list to, puts something into, or takes
something out of, in any other way.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import is_optional, runs_each_round
from dlint.analyses.control.places import statement_around
from dlint.analyses.handed_over import IsIt, receivers
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import values_of
from dlint.ir.module import Store
from dlint.library_facts.declared_fields import AS_DICT, AS_TUPLE, TUPLES
from dlint.library_facts.readers import RESIZERS
from dlint.semantics.values.values import Instance

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Loop, Scope
    from dlint.semantics.calls.call_contexts import CallContext

_MOST_ITEMS = 12
_DEEP = 4
"""Functions through which a list is handed on."""

_Calls = tuple[ex.Call, ...]

_COPIES = frozenset({"builtins.list", "builtins.tuple"})
_COUNTS = "builtins.range"
_GROWING = frozenset({"append", "extend"})


def list_behind(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Located | None:
    """The one expression that makes a list, where nothing is put in or taken out behind it.

    A dict stands for its values, a call for `range(…)` or for the fields of a record.
    """

    def made(whole: ex.Expression, where: CallContext) -> Located | None:
        match whole:
            case ex.Sequence(items=(ex.Starred() as only,)):
                return list_behind(context, only.value, where)
            case ex.Sequence() | ex.Comprehension() | ex.Binary():
                return whole, where
            case ex.Call():
                return _of_call(context, whole, where)
        return None

    found = _first(context, (expression, frame), made)
    if found is not None and isinstance(found[0], ex.Sequence):
        starred = any(isinstance(item, ex.Starred) for item in found[0].items)
        return found if 0 < len(found[0].items) <= _MOST_ITEMS and not starred else None
    return found


def listed_items(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """The items of a list, also of a sum of lists, and what fills one in the rounds of a loop."""
    waiting = [list_behind(context, expression, frame)]
    while waiting:
        whole, where = waiting.pop() or (None, frame)
        match whole:
            case ex.Sequence():
                yield from ((item, where) for item in whole.items)
            case ex.Comprehension():
                yield whole.element, where
            case ex.Binary(operator="+"):
                waiting += [list_behind(context, s, where) for s in (whole.left, whole.right)]


def _first(
    context: AnalysisContext,
    located: Located,
    made: Callable[[ex.Expression, CallContext], Located | None],
) -> Located | None:
    """The first expression that makes an object, on the one way to it, if nobody changes it."""
    seen: set[Located] = set()
    while located not in seen:
        seen.add(located)
        expression, frame = located
        if isinstance(expression, ex.Reference) and any(_changes(expression, frame)):
            grown = _grown(expression, frame)
            return None if grown is None else made(grown, frame)
        filling = list(_filling(context, expression, frame))
        if filling:
            filled = _filled(expression, frame, filling)
            return None if filled is None else made(*filled)
        found = made(expression, frame)
        if found is not None:
            return found
        further = list(steps(context, *located))
        if len(further) != 1:
            return None
        (located,) = further
    return None


def _of_call(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Located | None:
    """What makes the list that a call of a library gives."""
    if isinstance(call.function, ex.Attribute) and call.name == "values" and not call.arguments:
        return values_behind(context, call.function.value, frame)
    paths = library_callees(context, call)
    if len(given := positional(call)) == 1 and paths and _COPIES.issuperset(paths):
        return list_behind(context, given[0], frame)
    known = _COUNTS in paths or _record_items(context, call, frame)
    return (call, frame) if known and AS_DICT.isdisjoint(paths) else None


def values_behind(
    context: AnalysisContext, mapping: ex.Expression, frame: CallContext
) -> Located | None:
    """The one expression that makes a dict, where nothing is put in or taken out behind it.

    A comprehension stands for the list of the values.
    """
    return _first(context, (mapping, frame), partial(_of_dict, context))


def _of_dict(context: AnalysisContext, whole: ex.Expression, frame: CallContext) -> Located | None:
    """A dict that is written out, that a comprehension or the fields of a record make."""
    if isinstance(whole, ex.Call):
        made = _record_items(context, whole, frame) or _named_items(context, whole)
        return (whole, frame) if made else None
    if isinstance(whole, ex.Comprehension) and _has_keys_of_another(whole):
        values = ex.Comprehension(whole.span, "list", whole.element, None, whole.iterables, ())
        return values, frame
    return (whole, frame) if ex.spells_keys(whole) else None


def _has_keys_of_another(made: ex.Comprehension) -> bool:
    """Whether a comprehension makes one value for each of a dict, or of a list that it counts."""
    key = origin_of(made.key) if made.key is not None else None
    if not isinstance(key, ex.Item) or not isinstance(key.value, ex.Element) or key.position:
        return False
    own = len(made.iterables) == 1 and key.value.iterable is made.iterables[0]
    return own and not made.conditions and values_of(key.value.source) is not None


def _named_items(context: AnalysisContext, call: ex.Call) -> list[ex.Expression]:
    """The values of `dict(train=0.8, test=0.2)`; none for any other call."""
    named = all(argument.keyword for argument in call.arguments)
    is_dict = named and library_callees(context, call) == ("builtins.dict",)
    return [argument.value for argument in call.arguments] if is_dict else []


def called_items(context: AnalysisContext, call: ex.Call, frame: CallContext) -> list[Located]:
    """The items of the list or of the dict that a call makes, as `list_behind` gives it."""
    named = [(value, frame) for value in _named_items(context, call)]
    return named or _record_items(context, call, frame)


def _record_items(context: AnalysisContext, call: ex.Call, frame: CallContext) -> list[Located]:
    """The fields of the record that a call reads as a tuple, or makes; none for any other call."""
    reads = not (AS_TUPLE | AS_DICT).isdisjoint(library_callees(context, call))
    read = positional(call) if reads else []
    record: ex.Expression = read[0] if len(read) == 1 else call
    values = context.solver.values(record, frame)
    classes = [value.cls for value in values if isinstance(value, Instance)]
    if len(values) != 1 or len(classes) != 1 or (not read and not _is_tuple(context, classes[0])):
        return []
    own = context.solver.classes.ancestors(classes[0])
    names = dict.fromkeys(spec.name for cls in reversed(own) for spec in cls.fields)
    return [(ex.Attribute(record.span, record, name), frame) for name in names]


def _is_tuple(context: AnalysisContext, cls: Class) -> bool:
    return not TUPLES.isdisjoint(context.solver.classes.externals(cls))


def _changes(name: ex.Reference, frame: CallContext) -> Iterator[ex.Call | Store]:
    """What puts something into the list that a name stands for, or takes something out."""
    made = origin_of(name)
    if name.definition is not None:
        yield from _changes_in(frame.scope, lambda owner: owner is made)


def _changes_in(scope: Scope, is_list: IsIt) -> Iterator[ex.Call | Store]:
    """What a function puts into a list that its names stand for, or takes out of it."""
    return (change for change, name in _changed(scope) if is_list(origin_of(name)))


def _changed(scope: Scope) -> Iterator[tuple[ex.Call | Store, ex.Reference]]:
    """What a function puts something into or takes something out of, each with the name for it."""
    changes: list[tuple[ex.Call | Store, ex.Expression]] = [
        (store, store.target.value)
        for store in scope.stores
        if isinstance(store.target, ex.Subscript)
    ]
    changes += (
        (call, call.function.value)
        for call in scope.calls
        if isinstance(call.function, ex.Attribute) and call.name in RESIZERS
    )
    yield from ((change, owner) for change, owner in changes if isinstance(owner, ex.Reference))


class _Filling(NamedTuple):
    """One change of a list by a function that is handed it, and the calls to there."""

    calls: tuple[ex.Call, ...]
    change: ex.Call | Store
    frame: CallContext


def _filling(
    context: AnalysisContext, name: ex.Expression, frame: CallContext
) -> Iterator[_Filling]:
    """The changes of a list by the functions that are handed it by its name, one by the other."""
    made = origin_of(name) if isinstance(name, ex.Reference) and name.definition else None
    waiting: list[tuple[_Calls, CallContext, IsIt]] = []
    if made is not None:
        waiting.append(((), frame, partial(operator.is_, made)))
    while waiting:
        calls, where, is_list = waiting.pop()
        for call in where.scope.calls:
            for handed in receivers(context, call, where, is_list).known:
                way, inner = (*calls, call), handed.frame
                changes = _changes_in(inner.scope, handed.is_it)
                yield from (_Filling(way, change, inner) for change in changes)
                waiting += [(way, inner, handed.is_it)] if len(way) < _DEEP else []


def _filled(
    name: ex.Expression,
    frame: CallContext,
    filling: list[_Filling],
) -> Located | None:
    """What the one call appends to an empty list, before it is read; None for other changes.

    Of functions that hand the list on, each does so in its own body.
    """
    made = _written_out(origin_of(name))
    if len(filling) != 1 or not isinstance(made, ex.Sequence) or made.items:
        return None
    (((call, *further), change, inner),) = filling
    if any(c.statement.block is not c.scope.body or is_optional(c) for c in further):
        return None
    home = statement_around(frame.scope.body, made.span)
    if home is None or call.statement.block is not home.block or call.span[1] > name.span[0]:
        return None
    loop = next(walk.enclosing_loops(change.statement), None)
    at = change.statement if loop is None else loop
    part = _appended(change, loop) if at.block is inner.scope.body else None
    return None if part is None else (part, inner)


def _grown(name: ex.Reference, frame: CallContext) -> ex.Expression | None:
    """A list, and what is appended to it before it is read, as a sum; None for other changes.

    What a loop appends in each of its rounds is what a comprehension makes.
    """
    made = _written_out(origin_of(name))
    home = statement_around(frame.scope.body, made.span)
    is_list = isinstance(made, ex.Sequence) and made.kind == "list"
    grown: ex.Expression | None = made if is_list else None
    for change in _changes(name, frame):
        loop = next(walk.enclosing_loops(change.statement), None)
        part = _appended(change, loop) if change.span[1] <= name.span[0] else None
        at = change.statement if loop is None else loop
        if grown is None or part is None or home is None or at.block is not home.block:
            return None
        grown = ex.Binary(change.span, "+", grown, part)
    return grown


def _written_out(made: ex.Expression) -> ex.Expression:
    """The display that a part of a tuple is: the first list of `a, b = [], []`."""
    whole = made.value if isinstance(made, ex.Item) else None
    if not isinstance(made, ex.Item) or not isinstance(whole, ex.Sequence) or made.starred:
        return made
    starred = any(isinstance(item, ex.Starred) for item in whole.items)
    is_there = not starred and 0 <= made.position < len(whole.items)
    return whole.items[made.position] if is_there else made


def _appended(change: ex.Call | Store, loop: Loop | None) -> ex.Expression | None:
    """The list of what one call appends, as a whole; None where it does anything else."""
    given = positional(change) if isinstance(change, ex.Call) and change.name == "append" else []
    if len(given) != 1 or not isinstance(change, ex.Call):
        return None
    if loop is None:
        return ex.Sequence(change.span, "list", (given[0],))
    if loop.iterable is None or not runs_each_round(change, loop):
        return None
    return ex.Comprehension(change.span, "list", given[0], None, (loop.iterable,), ())


def first_items(expression: ex.Expression, scope: Scope) -> tuple[ex.Expression, ...]:
    """The items that a list certainly begins with, where code only adds to its end.

    `layers = [a, b]`, then `layers += more` or `layers.append(…)`, in a loop too. A comprehension
    is told as `*[…]`.
    """
    name = expression.name if isinstance(expression, ex.Reference) else None
    changes = (change for change, owner in _changed(scope) if owner.name == name)
    if not all(isinstance(c, ex.Call) and c.name in _GROWING for c in changes):
        return ()
    found = _beginnings(expression)
    first = next(iter(found)) if len(found) == 1 else None
    if isinstance(first, ex.Comprehension):
        return (ex.Starred(first.span, first),)
    return () if first is None else first.items


def _beginnings(expression: ex.Expression) -> set[ex.Sequence | ex.Comprehension]:
    """The lists that a list may begin with; none where it may begin with something else."""
    found = set[ex.Sequence | ex.Comprehension]()
    waiting, seen = [expression], set[ex.Expression]()
    while waiting:
        part = origin_of(waiting.pop())
        if part in seen:
            continue
        seen.add(part)
        match part:
            case ex.Sequence() | ex.Comprehension(kind="list"):
                found.add(part)
            case ex.Binary(operator="+"):
                waiting.append(part.left)
            case ex.Join():
                waiting += part.alternatives
            case _:
                return set()
    return found
