"""Objects of the project that are given to a data set, which keeps them for its workers to use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.model.worker_code import Entry, WorkerCode, parts_of

if TYPE_CHECKING:
    from dlint.model.datasets import DatasetClass


class HeldObject(NamedTuple):
    """An object of class `cls` that a data set was given; `entries`: its methods in workers."""

    cls: Class
    entries: tuple[Entry, ...]


def held_objects(dataset: DatasetClass) -> Iterator[HeldObject]:
    """What a data set was given and keeps, where its workers call methods of it."""
    used = _used(dataset)
    for part in dataset.state.parts() if used else ():
        entries = tuple(_entries(dataset, part.cls, used.get(part.attribute, set())))
        if part.is_given and entries:
            yield HeldObject(part.cls, entries)


def _used(dataset: DatasetClass) -> dict[str, set[str]]:
    """The methods that worker code calls on what is in each attribute of the data set."""
    used: dict[str, set[str]] = {}
    for entry in dataset.context[WorkerCode].of_class(dataset.cls):
        for frame in entry.activations:
            if entry.targets.owner(frame.scope) is dataset.cls:
                for part in parts_of(frame.scope):
                    for held, method in _called(part):
                        attribute = _attribute(held, frame.scope)
                        if attribute is not None:
                            used.setdefault(attribute, set()).add(method)
    return used


def _attribute(held: ex.Expression, scope: Scope) -> str | None:
    """The attribute that holds an object: itself, or in a list that is gone through or indexed."""
    if isinstance(held, ex.Reference) and held.definition is not None:
        held = held.definition.value
    if isinstance(held, ex.Element):
        held = held.iterable
    elif isinstance(held, ex.Subscript):
        held = held.value
    kept = isinstance(held, ex.Attribute) and is_self(held.value, scope)
    return held.name if kept and isinstance(held, ex.Attribute) else None


def _called(part: ex.Expression) -> Iterator[tuple[ex.Expression, str]]:
    """The objects whose methods an expression calls, with these methods."""
    if isinstance(part, ex.Subscript):
        yield part.value, "__getitem__"
    elif isinstance(part, ex.Call):
        yield part.function, "__call__"
        if isinstance(part.function, ex.Attribute):
            yield part.function.value, part.function.name


def _entries(dataset: DatasetClass, cls: Class, methods: set[str]) -> Iterator[Entry]:
    context = dataset.context
    for name in sorted(methods):
        method = context.solver.classes.method(cls, name)
        if method is not None:
            frame = context.solver.root(method)
            yield Entry(context, name, frame, cls, list(dataset.own_loaders))
