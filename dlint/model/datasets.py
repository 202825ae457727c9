"""Dataset classes of the project: who is given them, and what their constructors read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses import guards, hdf5, repetition
from dlint.analyses.callees import is_self, method_scope
from dlint.analyses.construction import Construction
from dlint.analyses.file_data import Guard, Payload
from dlint.analyses.guards import CACHING, Switches
from dlint.analyses.sample_access import TAKES, is_read_later, tables, takes_by_index, takes_each
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.readers import IN_MEMORY_BASES, SMALL, Form, Kind, is_dataset_base
from dlint.model.held_objects import annotated_classes
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import containers
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Container, External, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loaders import Loader

_DEPTH = 5


class Storage(StrEnum):
    """How samples are held in memory; what workers pay for it differs."""

    TENSOR = "one tensor"
    ARRAY = "one array"
    TENSORS = "a list of tensors"
    ARRAYS = "a list of arrays"
    OBJECTS = "a list of objects"


@dataclass(frozen=True, slots=True)
class EagerRead:
    """Samples read by a constructor.

    `place` is the reading call in the constructor, or the call of the helper that reads; `reads`
    are the places where the contents come to memory. `is_single`: one file, read once, or, if
    `has_files`, several that each hold a part of several samples;
    `is_array`: a whole array of a file; `is_chosen`: an option that is named for it asks for it.
    """

    owner: Class
    place: Place
    reads: tuple[Place, ...]
    attribute: str
    storage: Storage
    is_single: bool
    has_files: bool
    is_array: bool
    is_chosen: bool


@dataclass(eq=False)
class DatasetClass:
    """A class of the project whose objects a loader takes.

    `loaders` are those that are seen to be given one, or one of a subclass; `own_loaders` those
    given an object of exactly this class.
    """

    context: AnalysisContext
    cls: Class
    loaders: tuple[Loader, ...]
    own_loaders: tuple[Loader, ...] = ()

    @property
    def keeps_all_by_design(self) -> bool:
        """Whether names say that all samples belong in memory: of a base, or of small data."""
        paths = self.context.solver.classes.externals(self.cls)
        names = {c.name for c in self.context.solver.classes.ancestors(self.cls)}
        bases = names | {path.rpartition(".")[2] for path in paths}
        return bool(bases & IN_MEMORY_BASES) or any(map(SMALL.search, bases))

    @property
    def is_used_without_workers(self) -> bool:
        """Whether no loader that is given it has workers: all then runs in one process."""
        return bool(self.loaders) and all(loader.workers_absent for loader in self.loaders)

    def with_class(self, cls: Class) -> DatasetClass:
        """The same loaders with objects of another class, such as those that this one holds."""
        return DatasetClass(self.context, cls, self.loaders, self.own_loaders)

    @cached_property
    def construction(self) -> Construction | None:
        """What happens when an object is made; None without a constructor in the project."""
        init = self.context.solver.classes.method(self.cls, "__init__")
        return None if init is None else Construction(self.context, self.cls, init)

    @cached_property
    def eager_reads(self) -> tuple[EagerRead, ...]:
        """What its constructor reads and keeps, in the order of places."""
        made = self.construction
        return () if made is None else tuple(_Reading(self, made).reads())


@dataclass(frozen=True, slots=True)
class _Kept:
    """One payload that ends on the object, and where in the constructor of `owner` it begins."""

    place: Place
    owner: Class
    attribute: str
    payload: Payload
    chosen: bool
    columns: bool


class _Reading:
    """What one constructor reads and keeps."""

    def __init__(self, dataset: DatasetClass, construction: Construction) -> None:
        self._dataset = dataset
        self._construction = construction
        self._switches = Switches(construction.carriers)

    def reads(self) -> Iterator[EagerRead]:
        """What is read and kept: one result for each place, or for each loop, in a constructor."""
        groups: dict[object, list[_Kept]] = {}
        for frame in self._construction.activations:
            for attribute, payload, span in self._construction.carriers.keeps(frame):
                entry = self._construction.entry(payload.read.span, payload.frame)
                around = list(self._guards(payload, frame, span))
                if entry is not None and self._counts(attribute, payload, around):
                    scope, at = entry
                    chosen = any(map(self._switches.is_choice, around))
                    chosen = chosen or (bool(around) and _caches_by_name(payload))
                    columns = self._holds_several(attribute, payload)
                    place = Place(scope.module.path, *at)
                    loop = next(repetition.repeating_loops(scope, at), None)
                    kept = _Kept(
                        place, scope.owner or self._dataset.cls, attribute, payload, chosen, columns
                    )
                    groups.setdefault(loop or place, []).append(kept)
        for found in groups.values():
            yield _merged(found)

    def _holds_several(self, attribute: str, payload: Payload) -> bool:
        """Whether a file has a part of several samples, so that a sample has no file to read."""
        context, cls = self._dataset.context, self._dataset.cls
        if payload.parts or takes_each(context, cls, attribute):
            return True
        return not tables(context, cls, attribute) <= set(_gone_through(payload))

    def _counts(self, attribute: str, payload: Payload, around: list[Guard]) -> bool:
        """Whether payload is really read, is more than an index, and is not switched off."""
        if payload.kind is not Kind.PAYLOAD or hdf5.is_index(payload.key):
            return False
        if not (payload.many or payload.whole or self._is_table(attribute, payload)):
            return False
        if not is_read_later(self._dataset.context, self._dataset.cls, attribute):
            return False
        return not any(map(self._switches.is_off, around))

    def _is_table(self, attribute: str, payload: Payload) -> bool:
        """Whether one file, read once, has a row for each sample."""
        if not payload.reader.whole or payload.key is not None or hdf5.is_index(attribute):
            return False
        if not self._dataset.loaders:
            return False
        around = repetition.repeating_loops(payload.frame.scope, payload.read.span)
        if any(around):
            return False
        return takes_by_index(self._dataset.context, self._dataset.cls, attribute)

    def _guards(self, payload: Payload, frame: CallContext, span: Span) -> Iterator[Guard]:
        yield from payload.guards
        yield from guards.on_way(payload.frame, payload.read.span)
        yield from guards.on_way(frame, span)


def _caches_by_name(payload: Payload) -> bool:
    """Whether a function that is named for keeping data in memory reads."""
    current: CallContext | None = payload.frame
    while current is not None and current.call is not None:
        if CACHING.search(current.call.name or ""):
            return True
        current = current.caller
    return False


def _gone_through(payload: Payload) -> Iterator[str]:
    """The attributes whose elements say what is read: a file for each of them."""
    span, frame = payload.read.span, payload.frame
    current: CallContext | None = frame
    while current is not None:
        for loop in repetition.repeating_loops(current.scope, span):
            for part in walk.walk(loop.iterable) if loop.iterable is not None else ():
                if isinstance(part, ex.Attribute) and is_self(part.value, current.scope):
                    yield part.name
        if current.call is None:
            return
        span, current = current.call.span, current.caller


def _merged(found: list[_Kept]) -> EagerRead:
    first = min(found, key=lambda kept: kept.place)
    last = [k for k in found if k.place == first.place and k.attribute == first.attribute][-1]
    reads = [Place(k.payload.frame.scope.module.path, *k.payload.read.span) for k in found]
    single = all(k.columns or not (k.payload.many or k.payload.whole) for k in found)
    is_array = first.payload.whole and (single or not first.payload.many)
    return EagerRead(
        first.owner,
        first.place,
        tuple(sorted({read for read in reads if read != first.place})),
        first.attribute,
        _storage(last.payload),
        single and not is_array,
        first.payload.many,
        is_array,
        any(k.chosen for k in found),
    )


def _storage(payload: Payload) -> Storage:
    if payload.joined or not payload.many:
        return Storage.TENSOR if payload.form is Form.TENSOR else Storage.ARRAY
    lists = {Form.TENSOR: Storage.TENSORS, Form.ARRAY: Storage.ARRAYS, Form.OBJECT: Storage.OBJECTS}
    return lists[payload.form]


def dataset_classes(context: AnalysisContext) -> Iterator[DatasetClass]:
    """The dataset classes of the project that loaders are given, in the order of places."""
    given, unknown = _given(context)
    classes = context.solver.classes
    for facts in context.modules:
        for cls in facts.module.classes:
            family = [cls, *classes.descendants(cls)]
            loaders = tuple(dict.fromkeys(x for c in family for x in given.get(c, ())))
            derives = any(map(is_dataset_base, classes.externals(cls)))
            if (derives and (loaders or unknown)) or (loaders and _gives_samples(context, cls)):
                own = tuple(dict.fromkeys(given.get(cls, ())))
                yield DatasetClass(context, cls, loaders, own)


def _gives_samples(context: AnalysisContext, cls: Class) -> bool:
    return any(context.solver.classes.method(cls, name) is not None for name in TAKES)


def _given(context: AnalysisContext) -> tuple[dict[Class, list[Loader]], bool]:
    """The loaders of each class, and whether some loader is given nobody knows what."""
    given: dict[Class, list[Loader]] = {}
    unknown = False
    for loaders in context.loaders.by_call().values():
        for loader in loaders:
            for value in given_datasets(loader):
                if value == UNKNOWN:
                    unknown = True
                    for annotated in _annotated(loader):
                        given.setdefault(annotated, []).append(loader)
                elif (cls := attributes.project_class(value)) is not None:
                    given.setdefault(cls, []).append(loader)
    return given, unknown


def _annotated(loader: Loader) -> Iterator[Class]:
    """The classes that annotations say the dataset of a loader is of."""
    given = (
        a.value for a in loader.call.arguments if a.keyword in (None, "dataset") and not a.star
    )
    expression = next(given, None)
    parameters = [] if expression is None else _parameters(loader.context, expression, loader.call)
    for name, scope in parameters:
        yield from annotated_classes(loader.context, name, scope)


def _parameters(
    context: AnalysisContext, expression: ex.Expression, call: ex.Call
) -> Iterator[tuple[str, Scope]]:
    """The parameter that an expression reads, at once or by an attribute of the object."""
    if isinstance(expression, ex.Attribute) and is_self(expression.value, call.scope):
        for store in context.project.writing(expression.name):
            owner = attributes.written_on_self(store)
            if owner is not None and owner is _owner(call.scope):
                yield from _parameter(store.value, store.scope)
    yield from _parameter(expression, call.scope)


def _owner(scope: Scope) -> Class | None:
    method = method_scope(scope)
    return None if method is None else method.owner


def _parameter(expression: ex.Expression, scope: Scope) -> Iterator[tuple[str, Scope]]:
    definition = expression.definition if isinstance(expression, ex.Reference) else None
    if definition is not None and isinstance(definition.value, ex.Parameter):
        yield definition.name, scope


def given_datasets(loader: Loader) -> Iterator[Value]:
    """What a loader is given as its data set, and what that wraps, each once."""
    level = dict.fromkeys(loader.values("dataset"))
    seen = dict(level)
    for _ in range(_DEPTH):
        level = {v: None for value in level for v in _inside(loader.context, value)}
        level = {value: None for value in level if value not in seen}
        seen |= level
    return iter(seen)


def _inside(context: AnalysisContext, value: Value) -> Iterator[Value]:
    """What a value wraps: subsets, concatenations, lists, project wrappers."""
    solver = context.solver
    if isinstance(value, Container):
        node = containers.contents(solver, value, None)
        solver.settle()
        yield from node.values
    elif isinstance(value, AllocationSite) and isinstance(value.origin, External):
        if value.origin.path in TENSOR_DATASETS:
            return
        passed = solver.passed.get(value)
        for argument, frame in passed.arguments[:1] if passed is not None else ():
            yield from solver.values(argument.value, frame)
    elif (cls := attributes.project_class(value)) is not None:
        yield from _wrapped(context, cls)


def _wrapped(context: AnalysisContext, cls: Class) -> Iterator[Value]:
    """What a data set takes its samples from: `self.inner[index]`, given to its constructor."""
    init = context.solver.classes.method(cls, "__init__")
    for store in init.stores if init is not None else ():
        target, value = store.target, store.value
        if not isinstance(target, ex.Attribute) or not isinstance(value, ex.Reference):
            continue
        if is_self(target.value, store.scope) and takes_by_index(context, cls, target.name):
            yield from context.values(value, store.scope) - {UNKNOWN}
