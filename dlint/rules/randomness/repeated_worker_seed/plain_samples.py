"""Samples whose making is known to the end, and draws no random number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.sample_access import TAKES
from dlint.ir import expressions as ex
from dlint.library_facts import seeding, tensors
from dlint.model.worker_code import INIT, WorkerCode, parts_of
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import NONE, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry

_METHODS = tensors.VIEWS | tensors.CONVERSIONS | tensors.FETCHES | seeding.PLAIN_METHODS


def are_plain(context: AnalysisContext, loader: Loader) -> bool:
    """Whether no sample of a loader is drawn; batches are those that torch collates."""
    if not loader.values("collate_fn") <= {NONE}:
        return False
    classes = {project_class(value) for value in loader.values("dataset")}
    entries = [e for e in context[WorkerCode].entries if loader in e.loaders and e.role != INIT]
    taking = {entry.cls for entry in entries if entry.role in TAKES}
    return bool(classes) and taking >= classes and all(map(_is_plain, entries))


def _is_plain(entry: Entry) -> bool:
    """Whether all its calls are known, and it takes from nothing that it was given."""
    if not all(_is_known(entry, call, frame) for call, frame in entry.calls()):
        return False
    taken = {name for frame in entry.activations for name in _taken_from(frame)}
    return not taken & _given(entry)


def _is_known(entry: Entry, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call enters the project, or something that is known not to draw."""
    if entry.targets.entered(call, frame):
        return True
    paths = [t.path for t in entry.targets.of(call.function, frame) if isinstance(t, External)]
    if paths:
        return all(map(seeding.draws_nothing, paths))
    return isinstance(call.function, ex.Attribute) and call.name in _METHODS


def _given(entry: Entry) -> set[str]:
    """The attributes that hold an argument of the constructor: it may be another dataset."""
    lineage = [] if entry.cls is None else entry.context.solver.classes.ancestors(entry.cls)
    inits = [cls.methods["__init__"] for cls in lineage if "__init__" in cls.methods]
    return {
        store.target.name
        for init in inits
        for store in init.stores
        if isinstance(store.target, ex.Attribute) and _is_parameter(store.value)
    }


def _is_parameter(value: ex.Expression) -> bool:
    if isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    return isinstance(value, ex.Parameter)


def _taken_from(frame: CallContext) -> Iterator[str]:
    """The attributes of the object that code indexes, iterates or hands to a call."""
    for part in parts_of(frame.scope):
        sources: tuple[ex.Expression, ...] = ()
        if isinstance(part, ex.Subscript):
            sources = (part.value,)
        elif isinstance(part, ex.Comprehension):
            sources = part.iterables
        elif isinstance(part, ex.Call):
            sources = (part.function, *(a.value for a in part.arguments))
        for source in sources:
            if isinstance(source, ex.Attribute) and is_self(source.value, frame.scope):
                yield source.name
