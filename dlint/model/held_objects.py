"""Objects of the project that are given to a data set, which keeps them for its workers to use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.model.given_datasets import annotated_classes
from dlint.model.worker_code import Entry, WorkerCode, parts_of
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.datasets import DatasetClass


class HeldObject(NamedTuple):
    """An object of class `cls` that a data set was given; `entries`: its methods in workers."""

    cls: Class
    entries: tuple[Entry, ...]


def held_objects(dataset: DatasetClass) -> Iterator[HeldObject]:
    """What a data set was given and keeps, where its workers call methods of it."""
    used = _used(dataset)
    for write in dataset.state.stores if used else ():
        if write.frame.scope.name != "__init__":
            continue
        for cls in _given(dataset.context, write.value, write.frame.scope):
            entries = tuple(_entries(dataset, cls, used.get(write.attribute, set())))
            if entries:
                yield HeldObject(cls, entries)


def _used(dataset: DatasetClass) -> dict[str, set[str]]:
    """The methods that worker code calls on what is in each attribute of the data set."""
    used: dict[str, set[str]] = {}
    for entry in dataset.context[WorkerCode].of_class(dataset.cls):
        for frame in entry.activations:
            if entry.targets.owner(frame.scope) is dataset.cls:
                for part in parts_of(frame.scope):
                    for held, method in _called(part):
                        if isinstance(held, ex.Attribute) and is_self(held.value, frame.scope):
                            used.setdefault(held.name, set()).add(method)
    return used


def _called(part: ex.Expression) -> Iterator[tuple[ex.Expression, str]]:
    """The objects whose methods an expression calls, with these methods."""
    if isinstance(part, ex.Subscript):
        yield part.value, "__getitem__"
    elif isinstance(part, ex.Call):
        yield part.function, "__call__"
        if isinstance(part.function, ex.Attribute):
            yield part.function.value, part.function.name


def _given(context: AnalysisContext, value: ex.Expression, scope: Scope) -> list[Class]:
    """The classes of a parameter's objects: those that are passed, else what is annotated."""
    definition = value.definition if isinstance(value, ex.Reference) else None
    if definition is None or not isinstance(definition.value, ex.Parameter):
        return []
    passed = (attributes.project_class(v) for v in context.values(value, scope))
    known = list(dict.fromkeys(cls for cls in passed if cls is not None))
    return known or list(dict.fromkeys(annotated_classes(context, definition.name, scope)))


def _entries(dataset: DatasetClass, cls: Class, methods: set[str]) -> Iterator[Entry]:
    context = dataset.context
    for name in sorted(methods):
        method = context.solver.classes.method(cls, name)
        if method is not None:
            frame = context.solver.root(method)
            yield Entry(context, name, frame, cls, list(dataset.own_loaders))
