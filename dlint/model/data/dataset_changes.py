"""Data sets that a program changes between epochs: workers that are kept would not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.object_state.reading_methods import leaves_object_alone
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.analyses.written_arguments import positional
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Loop, Scope
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.given_loaders import loaders_in
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Container, Instance, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.epochs import EpochLoop

_READING = frozenset({"__len__", "__getitem__", "get_labels", "items", "keys", "values"})
_CHANGING = lazily(
    r"^_?(set|update|en_?able|dis_?able|change|switch|reset|refresh|re_?sample|shuffle|toggle|close"
    r"|open|turn|step|advance|apply|add|remove|append|extend|insert|clear|increase|decrease)",
    re.I,
)
"""Names of methods that change what they are called on."""

_HOLDING = ("dataset", "_dataset")
"""Where a loader, and what iterates it, keep the data set."""

_SHUFFLING = "shuffle"
"""What the functions and methods are called that put a list into another order in its place."""
_DEPTH = 2
Code = tuple[Loop, Scope, tuple[Scope, ...]]
"""What an epoch runs (`EpochLoop.code`)."""


class Touched(NamedTuple):
    """What has a method called on it, or an attribute written, and where."""

    owner: ex.Expression
    scope: Scope
    call: ex.Call | None = None
    """The call of the method."""


def changes_dataset(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether an epoch calls a method of the loader's data set, or writes to it.

    In a function that the epoch calls by the way, only methods count that are named for a change.
    A method does not that is known to leave its object as it is, such as one that makes a loader.
    """
    datasets, code = _objects(loader), loader.context[EpochCode]
    return any(
        _is_dataset(loader, one, datasets)
        and (one.call is None or not leaves_object_alone(loader.context, one.call))
        for one in (*code.touched(epoch), *code.touched_beside(epoch))
    )


def _is_dataset(loader: Loader, touched: Touched, datasets: set[Value]) -> bool:
    """Whether this may be the data set of the loader."""
    owner, scope = touched.owner, touched.scope
    return _is_held(loader, owner, scope) or any(
        value in datasets for value in loader.context.values(owner, scope)
    )


class EpochCode:
    """What epochs call and touch, looked for once for all loaders that they come to."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._beside: dict[Code, list[Scope]] = {}
        self._touched: dict[Code, list[Touched]] = {}
        self._touched_beside: dict[Code, list[Touched]] = {}

    def beside(self, epoch: EpochLoop) -> list[Scope]:
        """The functions that an epoch enters, beside those on the way to its batches."""
        if epoch.code not in self._beside:
            self._beside[epoch.code] = list(_called_beside(self._context, epoch))
        return self._beside[epoch.code]

    def touched(self, epoch: EpochLoop) -> list[Touched]:
        """What an epoch touches itself, and in the functions on the way to its batches."""
        if epoch.code not in self._touched:
            found = (t for block, scope in on_the_way(epoch) for t in _touched(block, scope))
            over_calls = (each for one in found for each in _over_calls(self._context, one))
            self._touched[epoch.code] = list(over_calls)
        return self._touched[epoch.code]

    def touched_beside(self, epoch: EpochLoop) -> list[Touched]:
        """What it touches in functions that it calls by the way, by methods named for a change."""
        if epoch.code not in self._touched_beside:
            called = self.beside(epoch)
            found = (t for scope in called for t in _touched(scope.body, scope, _CHANGING))
            self._touched_beside[epoch.code] = list(found)
        return self._touched_beside[epoch.code]


def on_the_way(epoch: EpochLoop) -> Iterator[tuple[Block, Scope]]:
    """The code of an epoch, and of the functions on the way from it to its batches."""
    yield epoch.loop.body, epoch.scope
    yield from ((scope.body, scope) for scope in epoch.inside)


def _called_beside(context: AnalysisContext, epoch: EpochLoop) -> Iterator[Scope]:
    seen = {epoch.scope, *epoch.inside}
    level = [block for block, _ in on_the_way(epoch)]
    for _ in range(_DEPTH):
        calls = (call for block in level for call in calls_in(block))
        found = dict.fromkeys(s for call in calls for s in callees_of(context, call))
        fresh = [scope for scope in found if scope not in seen]
        yield from fresh
        seen.update(fresh)
        level = [scope.body for scope in fresh]


def _is_held(loader: Loader, owner: ex.Expression, scope: Scope) -> bool:
    """Whether this is the data set of the loader, by the loader or its iterator."""
    if not isinstance(owner, ex.Attribute) or owner.name not in _HOLDING:
        return False
    return loader.made in loaders_in(loader.context, owner.value, scope)


def _objects(loader: Loader) -> set[Value]:
    """The data set, as an object of the program, and the lists that it is made of."""
    found: set[Value] = {
        v for v in loader.values("dataset") - {UNKNOWN} if isinstance(v, Instance | AllocationSite)
    }
    made = [value.call for value in found if isinstance(value, AllocationSite)]
    given = (v for c in made for a in c.arguments for v in loader.context.values(a.value, c.scope))
    return found | {v for v in given if isinstance(v, AllocationSite | Container)}


def _touched(
    block: Block, scope: Scope, changing: re.Pattern[str] | None = None
) -> Iterator[Touched]:
    """What has a method called on it, is shuffled, or has an attribute written, in some code."""
    for call in calls_in(block):
        callee = call.function
        if call.name == _SHUFFLING:
            yield from (Touched(o, scope) for given in positional(call) for o in _owners(given))
        if not isinstance(callee, ex.Attribute) or callee.name in _READING:
            continue
        if changing is None or changing.search(callee.name):
            yield from (Touched(owner, scope, call) for owner in _owners(callee.value))
    for statement in walk.statements(block):
        for store in statement.stores if isinstance(statement, Bind) else ():
            yield from (Touched(owner, scope) for owner in _owners(store.target.value))


def _over_calls(context: AnalysisContext, touched: Touched) -> Iterator[Touched]:
    """What is touched, and of a parameter what all known calls give it, if that is one thing."""
    yield touched
    owner, root = touched.owner, context.solver.root(touched.scope)
    if isinstance(origin_of(owner), ex.Parameter):
        given, frame = origin_over_calls(context, owner, root)
        yield from (touched._replace(owner=part, scope=frame.scope) for part in _owners(given))


def _owners(expression: ex.Expression) -> Iterator[ex.Expression]:
    """`loader.dataset.transform`: the thing itself, and what it is a part of, also by a name."""
    yield expression
    while isinstance(part := origin_of(expression), ex.Attribute | ex.Subscript):
        if isinstance(part, ex.Subscript) and isinstance(part.index, ex.Slice):
            return  # a copy
        if part is not expression:
            yield part
        expression = part.value
        yield expression
