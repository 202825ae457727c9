"""Data sets that a program changes between epochs: workers that are kept would not see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.domain.loops import calls_in
from dlint.index import expressions as ex
from dlint.index import walk
from dlint.index.model import Bind, Loop, Scope
from dlint.project.values import UNKNOWN, Instance, Made, Value

if TYPE_CHECKING:
    from dlint.domain.epochs import EpochLoop
    from dlint.domain.loaders import Loader

_READING = frozenset({"__len__", "__getitem__", "get_labels", "items", "keys", "values"})


def changes_dataset(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether an epoch calls a method of the loader's data set, or writes to it."""
    datasets = _objects(loader)
    entered = [(epoch.loop, epoch.scope), *((None, scope) for scope in epoch.inside)]
    return any(
        value in datasets
        for loop, scope in entered
        for owner in _touched(loop, scope)
        for value in loader.program.values(owner, scope)
    )


def _objects(loader: Loader) -> set[Value]:
    """The data set, as an object of the program."""
    return {v for v in loader.values("dataset") - {UNKNOWN} if isinstance(v, Instance | Made)}


def _touched(loop: Loop | None, scope: Scope) -> Iterator[ex.Expression]:
    """What has a method called on it, or an attribute written, in a loop or in a function."""
    block = scope.body if loop is None else loop.body
    for call in calls_in(block):
        if isinstance(call.function, ex.Attribute) and call.function.name not in _READING:
            yield from _owners(call.function.value)
    for statement in walk.statements(block):
        for store in statement.stores if isinstance(statement, Bind) else ():
            yield from _owners(store.target.value)


def _owners(expression: ex.Expression) -> Iterator[ex.Expression]:
    """`loader.dataset.transform`: the thing itself, and what it is a part of."""
    yield expression
    while isinstance(expression, ex.Attribute | ex.Subscript):
        expression = expression.value
        yield expression
