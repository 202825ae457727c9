"""python-objects-in-dataset: records kept as Python objects, which workers come to copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import written
from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_method, library_callees
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts import records as known
from dlint.library_facts.readers import MUTATORS
from dlint.library_facts.records import Records
from dlint.library_facts.start_methods import FRESH
from dlint.model.datasets import dataset_classes
from dlint.model.worker_code import parts_of
from dlint.model.worker_counts import text_of
from dlint.model.workers import start_methods_of

if TYPE_CHECKING:
    from dlint.analyses.construction import Construction
    from dlint.analyses.context import AnalysisContext
    from dlint.model.datasets import DatasetClass
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Dataset classes that keep records of a file as Python objects, where workers take them."""
    found: set[Place] = set()
    for dataset in context[dataset_classes]:
        loader = next((x for x in _given(dataset) if x.workers_present is not None), None)
        if loader is None or dataset.keeps_all_by_design:
            continue
        kept = next(kept_records(dataset), None)
        if kept is not None and kept.place not in found:
            found.add(kept.place)
            yield _finding(dataset, kept, loader)


def _given(dataset: DatasetClass) -> list[Loader]:
    """The loaders that are given it; of a factory those for callers that are seen to give it."""
    called = {loader.call for loader in dataset.loaders if loader.has_context}
    return [x for x in dataset.loaders if x.has_context or x.call not in called]


def _finding(dataset: DatasetClass, kept: KeptRecords, loader: Loader) -> Finding:
    related = (Related(loader.place, "the workers of this loader take the records"),)
    message = _message(dataset, kept, loader)
    return Finding(Severity.INFO, message, kept.place, related)


def _message(dataset: DatasetClass, kept: KeptRecords, loader: Loader) -> str:
    methods = start_methods_of(dataset.context, loader)
    fresh = sorted(methods & FRESH)
    if methods <= FRESH:
        how = f"with {' or '.join(fresh)} each worker unpickles a copy of all of them"
    else:
        how = (
            "reading an object writes its reference count, so each forked worker comes to a copy "
            "of all that it touches"
        )
    assert loader.workers_present is not None
    return (
        f"`{kept.owner.name}` keeps {kept.records} as Python objects in `self.{kept.attribute}`: "
        f"{how} ({text_of(loader.workers_present)}); with a million records or more measure it, "
        "and keep them in fixed-width arrays, in packed bytes with offsets or in an Arrow table"
    )


_DEPTH = 12


class KeptRecords(NamedTuple):
    """One attribute that holds Python objects of a file, and where it is written."""

    place: Place
    owner: Class
    attribute: str
    records: Records


def kept_records(dataset: DatasetClass) -> Iterator[KeptRecords]:
    """Attributes with one Python object, or several, for each sample that workers take."""
    made = dataset.construction
    if made is None:
        return
    reading, seen = _Reading(dataset.context, made), set()
    for store, frame in made.stores:
        name = store.target.name if isinstance(store.target, ex.Attribute) else ""
        if name in seen or not _is_of_samples(dataset.context, dataset.cls, name):
            continue
        if reading.is_packed_later(name):
            continue
        records = reading.collected(store.value, frame.scope, _DEPTH)
        if records is None and _is_empty(store.value):
            records = reading.added_to_attribute(name)
        if records is not None:
            seen.add(name)
            owner = frame.scope.owner or dataset.cls
            place = Place(store.scope.module.path, *store.span)
            yield KeptRecords(place, owner, name, records)


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


def _is_empty(value: ex.Expression) -> bool:
    if isinstance(value, ex.Call):
        return value.name in ("list", "dict", "defaultdict") and len(value.arguments) < 2
    return (isinstance(value, ex.Sequence) and not value.items) or (
        isinstance(value, ex.Mapping) and not value.items
    )


class _Reading:
    """Asks what the code of a constructor collects."""

    def __init__(self, context: AnalysisContext, made: Construction) -> None:
        self._context = context
        self._made = made

    def collected(self, e: ex.Expression, scope: Scope, depth: int) -> Records | None:
        """The records that an expression holds in memory, all at once."""
        if depth == 0:
            return None
        match e:
            case ex.Reference() if e.definition is not None:
                value = e.definition.value
                found = self.collected(value, e.definition.scope, depth - 1)
                return found or (self._added(e.name, scope, depth) if _is_empty(value) else None)
            case ex.Subscript() if isinstance(e.index, ex.Constant | ex.Slice):
                return self.collected(e.value, scope, depth - 1)
            case ex.Comprehension() if e.kind in ("list", "dict"):
                return self._of_turns(e.iterables, e.element, scope, depth)
            case ex.Attribute() if is_self(e.value, scope):
                return self._kept(e.name, depth)
            case ex.Call():
                return self._of_call(e, scope, depth)
        return None

    def is_packed_later(self, name: str) -> bool:
        """Whether the constructor writes an array or a table to the attribute, too."""
        return any(
            self._is_compact(s.value, f.scope) and self.collected(s.value, f.scope, _DEPTH) is None
            for s, f in self._made.written_to(name)
        )

    def _kept(self, name: str, depth: int) -> Records | None:
        found = [
            self.collected(s.value, f.scope, depth - 1) for s, f in self._made.written_to(name)
        ]
        return next(filter(None, found), None)

    def _of_call(self, call: ex.Call, scope: Scope, depth: int) -> Records | None:
        first = written(call, 0)
        for path in self._paths(call, scope):
            if path in known.COLLECTING and first is not None:
                return self._source(first, scope, depth - 1)
            if path in ("numpy.array", "numpy.asarray"):
                return Records.ARRAY if _is_of_objects(call) else None
            return None if path in known.LAZY else known.READERS.get(path)
        if isinstance(call.function, ex.Attribute):
            if call.name == "to_dict" and not _asks_for_records(call):
                return None
            if call.name in known.METHODS:
                return known.METHODS[call.name or ""]
        results = (
            (r, callee) for callee in callees_of(self._context, call) for r in callee.returns
        )
        found = (self.collected(result, callee, depth - 1) for result, callee in results)
        return next(filter(None, found), None)

    def _paths(self, call: ex.Call, scope: Scope) -> list[str]:
        return [path for path in library_callees(self._context, call) if not is_method(path)]

    def _source(self, e: ex.Expression, scope: Scope, depth: int) -> Records | None:
        """The records that running through an expression gives one by one."""
        if depth <= 0:
            return None
        match e:
            case ex.Reference() if e.definition is not None:
                return self._source(e.definition.value, e.definition.scope, depth - 1)
            case ex.Entered():
                return self._source(e.value, scope, depth - 1)
            case ex.Call() if e.name in ("items", "values") and isinstance(
                e.function, ex.Attribute
            ):
                return self._source(e.function.value, scope, depth - 1)
            case ex.Call():
                for path in self._paths(e, scope):
                    if path in known.HANDING_ON and (inner := written(e, 0)) is not None:
                        return self._source(inner, scope, depth - 1)
                    if path in known.READERS:
                        return None if _is_binary(e) else known.READERS[path]
        return self.collected(e, scope, depth - 1)

    def _of_turns(
        self, iterables: Iterable[ex.Expression], element: ex.Expression, scope: Scope, depth: int
    ) -> Records | None:
        """What a loop collects: an object of every record, unless that is a number or an array."""
        if self._is_compact(element, scope):
            return None
        found = next(filter(None, (self._source(i, scope, depth - 1) for i in iterables)), None)
        parsed = (path for c in _calls(element) for path in self._paths(c, scope))
        return Records.JSON if found and any(map(_parses, parsed)) else found

    def _is_compact(self, element: ex.Expression, scope: Scope) -> bool:
        if isinstance(element, ex.Reference) and (definition := element.definition) is not None:
            return self._is_compact(definition.value, definition.scope)
        calls = list(_calls(element))
        paths = [path for call in calls for path in self._paths(call, scope)]
        if any(path.partition(".")[0] in known.COMPACT for path in paths):
            return True
        if not isinstance(element, ex.Call):
            return False
        if isinstance(element.function, ex.Attribute) and element.name in known.CONVERTING:
            return True
        return any(path in known.NUMBERS for path in self._paths(element, scope))

    def _added(self, name: str, scope: Scope, depth: int) -> Records | None:
        """What loops add to a list of that name."""
        for container, call in _additions(scope):
            if isinstance(container, ex.Reference) and container.name == name:
                found = self._of_loop(call, scope, depth)
                if found is not None:
                    return found
        return None

    def added_to_attribute(self, name: str) -> Records | None:
        """What loops of the constructor add to a list that an attribute holds."""
        for frame in self._made.activations:
            for container, call in _additions(frame.scope):
                if _is_attribute(container, name, frame.scope):
                    found = self._of_loop(call, frame.scope, _DEPTH)
                    if found is not None:
                        return found
        return None

    def _of_loop(self, call: ex.Call, scope: Scope, depth: int) -> Records | None:
        loop = next(walk.enclosing_loops(call.statement), None)
        if loop is None or loop.iterable is None:
            return None
        return self._of_turns((loop.iterable,), call.arguments[-1].value, scope, depth)


def _additions(scope: Scope) -> Iterator[tuple[ex.Expression, ex.Call]]:
    """Calls that add something to a container, with the container."""
    for call in scope.calls:
        if call.name in MUTATORS and isinstance(call.function, ex.Attribute) and call.arguments:
            yield call.function.value, call


def _calls(e: ex.Expression) -> Iterator[ex.Call]:
    return (part for part in walk.walk(e) if isinstance(part, ex.Call))


def _parses(path: str) -> bool:
    return known.READERS.get(path) is Records.JSON


def _is_binary(call: ex.Call) -> bool:
    mode = written(call, 1, "mode")
    return isinstance(mode, ex.Constant) and isinstance(mode.value, str) and "b" in mode.value


def _is_of_objects(call: ex.Call) -> bool:
    given = written(call, 1, "dtype")
    if isinstance(given, ex.Constant):
        return given.value in ("object", "O")
    return isinstance(given, ex.Reference | ex.Attribute) and given.name in ("object", "object_")


def _asks_for_records(call: ex.Call) -> bool:
    given = (a.value.value for a in call.arguments if isinstance(a.value, ex.Constant))
    return any(value in ("records", "index", "list", "split") for value in given)
