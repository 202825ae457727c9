"""Data sets of the project whose samples are rows of arrays that they hold in memory.

Question: is each part of a sample what an attribute holds under the index, or a part of that, in
another form at most or looked up in a list, and is one of these attributes left an array in memory?
Followed: the parts that `__getitem__` returns, and what the constructor writes, with the arithmetic
by which arrays were made. Given up on: attributes of which nothing is known, and objects that hold
a file open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.value_parts import origin_of, parts_over_calls
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.readers import Kind
from dlint.library_facts.tensors import LIGHT_METHODS
from dlint.model.data.in_memory import (
    is_mapped,
    is_small,
    looks_up,
    may_be_better_without_workers,
    takes_no_time,
)
from dlint.model.data.memory_arrays import lies_in_memory
from dlint.model.samples.collation import sample_sources
from dlint.model.samples.sample_parts import sample_parts
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.writes import Write
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader


class HeldRows(NamedTuple):
    """Arrays whose rows are the samples of a loader: the attributes, and where one is made.

    `sources`: the names of what that one is made of.
    """

    names: tuple[str, ...]
    place: Place
    sources: frozenset[str]


def held_rows(loader: Loader) -> HeldRows | None:
    """The arrays in memory whose rows are the samples of a loader; None where it may do more."""
    context = loader.context
    classes = {attributes.project_class(value) for value in sample_sources(loader)}
    cls = classes.pop() if len(classes) == 1 else None
    method = None if cls is None else context.solver.classes.method(cls, "__getitem__")
    if cls is None or method is None or method.yields or method.decorators:
        return None
    if context.solver.classes.method(cls, "__getitems__") is not None:
        return None
    names = _names(context, method)
    write = None if not names else _made(loader, cls, names)
    if write is None:
        return None
    place = Place(write.frame.scope.module.path, *write.span)
    parts = parts_over_calls(context, write.value, write.frame)
    sources = (part.name for part in parts if isinstance(part, ex.Reference | ex.Attribute))
    return HeldRows(names, place, frozenset(sources))


def may_do_without_workers(loader: Loader) -> bool:
    """Whether the samples of a loader with workers are small rows of what its data set holds."""
    if not may_be_better_without_workers(loader):
        return False
    found = held_rows(loader)
    return found is not None and is_small(loader, (*found.names, *found.sources))


def _names(context: AnalysisContext, method: Scope) -> tuple[str, ...]:
    """The attributes whose rows are the parts of a sample; none where a part is anything else."""
    if len(method.parameters) != 2 or not takes_no_time(context, method):
        return ()
    found = [part for part, _ in sample_parts(context, method) if not _is_of_none(context, part)]
    parts = [_taken_of(context, part, method) for part in found]
    names = tuple(dict.fromkeys(name for name in parts if name is not None))
    return names if None not in parts else ()


def _is_of_none(context: AnalysisContext, part: ex.Expression) -> bool:
    """A call of what is always None, by a test that keeps it from being made: `transform(x)`."""
    return isinstance(part, ex.Call) and context.values(part.function, part.scope) == {NONE}


def _taken_of(context: AnalysisContext, part: ex.Expression, method: Scope) -> str | None:
    """The attribute that a part of a sample is taken out of by the index."""
    found = origin_of(part)
    while isinstance(found, ex.Call | ex.Subscript):
        if isinstance(found, ex.Subscript) and _is_index(found.index, method):
            return own_attribute(origin_of(found.value), method)
        given = found.value if isinstance(found, ex.Subscript) else _changed(context, found)
        if given is None:
            return None
        found = origin_of(given)
    return None


def _is_index(part: ex.Expression, method: Scope) -> bool:
    index = origin_of(part)
    return isinstance(index, ex.Parameter) and index.name == method.parameters[1].name


def _changed(context: AnalysisContext, call: ex.Call) -> ex.Expression | None:
    """What a call gives another form or looks up: its first argument, or what it is called on."""
    if looks_up(context, call):
        return written(call, 0)
    if library_callees(context, call) and call.name not in LIGHT_METHODS:
        return written(call, 0)
    return call.function.value if isinstance(call.function, ex.Attribute) else written(call, 0)


def _made(loader: Loader, cls: Class, names: tuple[str, ...]) -> Write | None:
    """What leaves one of some attributes an array in memory, if the object holds no file open."""
    context = loader.context
    state = context[ObjectStates].of(cls)
    if any(data.payload.kind is not Kind.PAYLOAD for data in state.file_data):
        return None
    kept = [write for write in state.stores if write.attribute in names]
    if any(is_mapped(value) for write in kept for value in state.values(write)):
        return None
    arrays = (write for write in kept if lies_in_memory(context, write.value, write.frame))
    return next(arrays, None)
