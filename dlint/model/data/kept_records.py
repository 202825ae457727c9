"""Records of files that data sets keep as Python objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.library_facts.records import Records
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


def given_loaders(dataset: DatasetClass) -> list[Loader]:
    """The loaders that are given it; of a factory those for callers that are seen to give it."""
    called = {loader.call for loader in dataset.loaders if loader.has_context}
    return [x for x in dataset.loaders if x.has_context or x.call not in called]


class KeptRecords(NamedTuple):
    """One attribute that holds Python objects of a file, and where it is written."""

    place: Place
    owner: Class
    attribute: str
    records: Records


def kept_records(dataset: DatasetClass) -> Iterator[KeptRecords]:
    """Attributes with one Python object, or several, for each sample that workers take."""
    state, seen = dataset.state, set[str]()
    for write in state.stores:
        name = write.attribute
        if name in seen or not _is_of_samples(dataset.context, dataset.cls, name):
            continue
        records = state.records(write)
        if records is not None:
            seen.add(name)
            scope = write.frame.scope
            place = Place(scope.module.path, *write.span)
            yield KeptRecords(place, scope.owner or dataset.cls, name, records)


def _is_of_samples(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether an attribute has an element for each sample: by index, or by the length."""
    getter = context.solver.classes.method(cls, "__getitem__")
    length = context.solver.classes.method(cls, "__len__")
    if getter is None or len(getter.parameters) < 2:
        return False
    taken = [
        part.index
        for part in parts_of(getter)
        if isinstance(part, ex.Subscript) and _is_attribute(part.value, name, getter)
    ]
    if any(_is_parameter(index) for index in taken):
        return True
    counted = length is not None and any(_is_attribute(p, name, length) for p in parts_of(length))
    return bool(taken) and counted


def _is_attribute(part: ex.Expression, name: str, scope: Scope) -> bool:
    named = isinstance(part, ex.Attribute) and part.name == name
    return named and isinstance(part, ex.Attribute) and is_self(part.value, scope)


def _is_parameter(index: ex.Expression) -> bool:
    definition = index.definition if isinstance(index, ex.Reference) else None
    return definition is not None and isinstance(definition.value, ex.Parameter)
