"""Stored records that come to hold what is read for their samples.

Question: does each run of `__getitem__` put what it has read of a file, as it is or transformed,
into the record itself that the data set keeps: `record["image"] = read(record["path"])`? Then each
process comes to keep all samples that it has read. Followed: as in `sample_edits`, where
records are taken, and where they lie. Silent where a test decides, as that of a cache, or where the
class is one that keeps all by its name, and where a size or a number is taken of what was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind
from dlint.library_facts.readers import READERS, Kind
from dlint.model.samples.edit_forms import is_keyed
from dlint.model.samples.sample_edits import shares_stored, taken_from

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.data.datasets import DatasetClass

_CONTENTS = frozenset({Kind.PAYLOAD, Kind.IMAGE})
_SMALL = frozenset({"size", "shape", "width", "height", "dtype", "format", "mode", "info", "ndim"})
_NUMBERS = frozenset({"len", "item", "float", "int", "mean", "sum", "max", "min"})


class RecordGrowth(NamedTuple):
    """Where a record gets what was read, of which attribute, and where it was taken."""

    place: Place
    key: str
    attribute: str
    taken: Place


def record_growth(dataset: DatasetClass) -> Iterator[RecordGrowth]:
    """The keys by which records of a data set come to hold what is read for their samples."""
    method = dataset.context.solver.classes.method(dataset.cls, "__getitem__")
    if method is None or len(method.parameters) < 2 or dataset.keeps_all_by_design:
        return
    for statement in walk.statements(method.body):
        if isinstance(statement, Bind) and always_runs(statement, method.body):
            yield from _of_statement(dataset, statement, method)


def _of_statement(dataset: DatasetClass, statement: Bind, method: Scope) -> Iterator[RecordGrowth]:
    frame = dataset.context.solver.root(method)
    for store in statement.stores:
        target = store.target
        if not isinstance(target, ex.Subscript) or not is_keyed(target):
            continue
        if not _is_read(dataset, store.value):
            continue
        taken = taken_from(dataset, target.value, frame, method)
        if taken is None or taken.is_view or not shares_stored(dataset, taken, method):
            continue
        key = ex.constant(target.index)
        name = key.value if key is not None and isinstance(key.value, str) else ""
        row = Place(method.module.path, *taken.row.span)
        place = Place(method.module.path, *statement.span)
        yield RecordGrowth(place, name, taken.attribute, row)


def _is_read(dataset: DatasetClass, value: ex.Expression) -> bool:
    """Whether a value is what a call makes of the contents of a file."""
    if not isinstance(origin_of(value), ex.Call):
        return False
    parts = list(parts_in_function(value))
    if any(isinstance(part, ex.Attribute) and part.name in _SMALL for part in parts):
        return False
    calls = [part for part in parts if isinstance(part, ex.Call)]
    if any(call.name in _NUMBERS for call in calls):
        return False
    paths = (path for call in calls for path in library_callees(dataset.context, call))
    return any((reader := READERS.get(p)) is not None and reader.kind in _CONTENTS for p in paths)
