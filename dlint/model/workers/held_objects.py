"""Objects of the project that workers use besides their data set, and are made before they start.

Those are given to a data set, or made by its constructor, which keeps them, or to what it keeps: a
reader of a transform, the steps of a `Compose`. A transform or a collate function may be one, too.
Samplers are none: they are asked in the main process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import callable_names, calls_anywhere
from dlint.ir import expressions as ex
from dlint.ir.loop_parts import whole_of
from dlint.ir.module import Class, Scope
from dlint.model.workers.worker_code import COLLATE, TRANSFORM, Entry, WorkerCode, parts_of
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.semantics.calls.call_contexts import CallContext


class HeldObject(NamedTuple):
    """An object of class `cls`; `entries`: its methods in workers."""

    cls: Class
    entries: tuple[Entry, ...]
    through: tuple[Class, ...] = ()
    """Classes of the objects by which the data set, or the collate function, holds it."""


def held_objects(dataset: DatasetClass) -> Iterator[HeldObject]:
    """What a data set has kept since it was made, where its workers call methods of it."""
    own = tuple(dataset.context[WorkerCode].of_class(dataset.cls))
    waiting, seen = [HeldObject(dataset.cls, own)], {dataset.cls}
    for holder in waiting:
        for held in _held_by(dataset, holder):
            if held.cls not in seen:
                seen.add(held.cls)
                waiting.append(held)
                yield held
    for held in _entered(dataset.context, own):
        if held.cls not in seen:
            yield held


def called_objects(context: AnalysisContext) -> Iterator[Entry]:
    """Objects of the project that are collate functions, or transforms of a library's data set."""
    entries = context[WorkerCode].entries
    return (e for e in entries if e.role in (COLLATE, TRANSFORM) and e.cls is not None)


def _held_by(dataset: DatasetClass, holder: HeldObject) -> Iterator[HeldObject]:
    used = _used(holder)
    for part in dataset.with_class(holder.cls).state.parts() if used else ():
        entries = tuple(_entries(dataset, part.cls, used.get(part.attribute, set())))
        if entries:
            yield HeldObject(part.cls, entries, (*holder.through, holder.cls))


def _used(holder: HeldObject) -> dict[str, set[str]]:
    """The methods that worker code calls on what is in each attribute of an object."""
    used: dict[str, set[str]] = {}
    for entry in holder.entries:
        for frame in entry.activations:
            if entry.targets.owner(frame.scope) is holder.cls:
                for part in parts_of(frame.scope):
                    for held, method in _called(part):
                        attribute = _attribute(held, frame.scope)
                        if attribute is not None:
                            used.setdefault(attribute, set()).add(method)
    return used


def _entered(context: AnalysisContext, entries: tuple[Entry, ...]) -> Iterator[HeldObject]:
    """Objects whose methods worker code enters by an attribute, none of them made by workers."""
    for entry in entries:
        for frame in entry.activations:
            cls = None if frame.receiver is None else attributes.project_class(frame.receiver)
            if cls is None or cls is entry.cls or not _is_by_attribute(frame):
                continue
            through = [f.scope.owner for f in frame.chain()[1:]]
            if _is_made_before(context, cls):
                owners = (entry.cls, *through)
                inner = Entry(context, entry.role, frame, cls, entry.loaders)
                yield HeldObject(cls, (inner,), tuple(c for c in owners if c is not None))


def _is_by_attribute(frame: CallContext) -> bool:
    """Whether what is called hangs on the object of the caller."""
    callee = None if frame.call is None else frame.call.function
    while isinstance(callee, ex.Attribute):
        callee = callee.value
    return callee is not None and frame.caller is not None and is_self(callee, frame.caller.scope)


def _is_made_before(context: AnalysisContext, cls: Class) -> bool:
    """Whether objects of a class are seen to be made, and never by workers."""
    made = list(calls_anywhere(context, *callable_names(context, (cls.name,))))
    functions = context[WorkerCode].functions
    return bool(made) and not any(call.scope in functions for call in made)


def _attribute(held: ex.Expression, scope: Scope) -> str | None:
    """The attribute that holds an object: itself, or in what is gone through or indexed."""
    held = ex.unnamed(held)
    whole = whole_of(held)
    if whole is not None:
        held = ex.unnamed(whole)
    elif isinstance(held, ex.Subscript):
        held = ex.unnamed(held.value)
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
