"""Dataset classes of the project: who is given them, and what their constructors read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses import guards, repetition
from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_made, load_makers
from dlint.analyses.guards import CACHING, Switches
from dlint.analyses.object_state import hdf5, taken_branches
from dlint.analyses.object_state.file_data import Guard, Payload
from dlint.analyses.object_state.sample_access import (
    is_read_later,
    tables,
    takes_by_index,
    takes_each,
)
from dlint.analyses.object_state.state import HeldData, ObjectState, ObjectStates
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts.readers import (
    IN_MEMORY_BASES,
    SCALING,
    SMALL,
    Form,
    Kind,
    is_dataset_base,
)
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.data.given_datasets import dataset_uses, given_datasets
from dlint.model.loading.roles import only_evaluates
from dlint.model.samples.sample_work import reads_samples
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


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
    `is_array`: a whole array of a file; `is_chosen`: an option that is named for it asks for it;
    `is_scaled`: the samples are scaled before they are kept, which each epoch would have to repeat;
    `loaders`: those whose data set may come to it; `is_taken`: one that trains is seen to, or no
    argument of the constructor decides.
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
    is_scaled: bool
    loaders: tuple[Loader, ...]
    is_taken: bool


@dataclass(eq=False)
class DatasetClass:
    """A class of the project whose objects a loader takes.

    `loaders` are those that are seen to be given one, or one of a subclass; `own_loaders` those
    given an object of exactly this class. `is_used`: one of the project's loaders may be given one.
    """

    context: AnalysisContext
    cls: Class
    loaders: tuple[Loader, ...]
    own_loaders: tuple[Loader, ...] = ()
    is_used: bool = True

    @property
    def keeps_all_by_design(self) -> bool:
        """Whether names say that all samples belong in memory: of a base, or of small data."""
        paths = self.context.solver.classes.externals(self.cls)
        names = {c.name for c in self.context.solver.classes.ancestors(self.cls)}
        bases = names | {path.rpartition(".")[2] for path in paths}
        return bool(bases & IN_MEMORY_BASES) or any(map(SMALL.search, bases))

    @property
    def replaces_reading(self) -> bool:
        """Whether a class that it derives from reads each sample when it is asked for.

        To keep them all is then somebody's choice, beside what does not.
        """
        above = [c for c in self.context.solver.classes.ancestors(self.cls) if c is not self.cls]
        is_lazy = any(reads_samples(self.context, cls) for cls in above)
        return is_lazy and not reads_samples(self.context, self.cls)

    @property
    def is_used_without_workers(self) -> bool:
        """Whether no loader that is given it has workers: all then runs in one process."""
        return bool(self.loaders) and all(loader.workers_absent for loader in self.loaders)

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.cls.name

    def defines(self, *names: str) -> bool:
        """Whether the class, or one of the project that it is made of, has one of these methods."""
        classes = self.context.solver.classes
        return any(classes.method(self.cls, name) is not None for name in names)

    def with_class(self, cls: Class) -> DatasetClass:
        """The same loaders with objects of another class, such as those that this one holds."""
        return DatasetClass(self.context, cls, self.loaders, self.own_loaders)

    @property
    def state(self) -> ObjectState:
        """What an object holds once it is made."""
        return self.context[ObjectStates].of(self.cls)

    @cached_property
    def eager_reads(self) -> tuple[EagerRead, ...]:
        """What its constructor reads and keeps, in the order of places."""
        return tuple(_Reading(self).reads())


@dataclass(frozen=True, slots=True)
class _Kept:
    """One payload that ends on the object, and where in the constructor of `owner` it begins."""

    place: Place
    owner: Class
    attribute: str
    payload: Payload
    chosen: bool
    columns: bool
    scaled: bool
    loaders: tuple[Loader, ...]
    taken: bool


class _Reading:
    """What one constructor reads and keeps."""

    def __init__(self, dataset: DatasetClass) -> None:
        self._dataset = dataset
        self._switches = Switches(dataset.state.taint)

    def reads(self) -> Iterator[EagerRead]:
        """What is read and kept: one result for each place, or for each loop, in a constructor."""
        groups: dict[object, list[_Kept]] = {}
        for held in self._dataset.state.file_data:
            payload, frame = held.payload, held.frame
            begun = self._dataset.state.entry(payload.read.span, payload.frame)
            around = list(self._guards(payload, frame, held.span))
            if begun is None or not self._counts(held.attribute, payload, around):
                continue
            loaders, taken = self._takers(around)
            if loaders or taken:
                loop = next(repetition.repeating_loops(*begun), None)
                kept = replace(self._kept(held, begun, around), loaders=loaders, taken=taken)
                groups.setdefault(loop or kept.place, []).append(kept)
        for found in groups.values():
            yield _merged(found)

    def _kept(self, held: HeldData, begun: tuple[Scope, Span], around: list[Guard]) -> _Kept:
        scope, at = begun
        chosen = any(map(self._switches.is_choice, around))
        return _Kept(
            Place(scope.module.path, *at),
            scope.owner or self._dataset.cls,
            held.attribute,
            held.payload,
            chosen or (bool(around) and _caches_by_name(held.payload)),
            self._holds_several(held.attribute, held.payload),
            _is_scaled(self._dataset.state, held.payload),
            self._dataset.loaders,
            True,
        )

    def _takers(self, around: list[Guard]) -> tuple[tuple[Loader, ...], bool]:
        """The loaders whose data set may come to a read, and whether one to train is seen to."""
        dataset = self._dataset
        tests = taken_branches.on_given(around)
        if not tests or not dataset.own_loaders:
            return dataset.loaders, True
        found = {loader: self._comes_to(loader, tests) for loader in dataset.own_loaders}
        may = tuple(x for x in dataset.loaders if found.get(x) is not False)
        return may, any(found[x] is True and not only_evaluates(x) for x in found)

    def _comes_to(self, loader: Loader, tests: list[Guard]) -> bool | None:
        """Whether the data set of a loader passes some tests; None where nobody knows."""
        context = self._dataset.context
        made = context[DatasetOrigins].constructions(loader, self._dataset.cls)
        found = {taken_branches.comes_to(context, making, tests) for making in made}
        return True if True in found else None if None in found or not found else False

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
        context, cls = self._dataset.context, self._dataset.cls
        if not is_read_later(context, cls, attribute):
            return False
        if payload.piece and reads_samples(context, cls):
            return False  # an index over files that are read sample by sample
        return not any(map(self._switches.is_off, around))

    def _is_table(self, attribute: str, payload: Payload) -> bool:
        """Whether one file, read once, has a row for each sample."""
        if not payload.reader.whole or payload.key is not None or hdf5.is_index(attribute):
            return False
        if payload.parts or not self._dataset.loaders:
            return False  # a dict of the arrays of a file has names, and no rows
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


def _is_scaled(state: ObjectState, payload: Payload) -> bool:
    """Whether a constructor, or what it enters, scales what is read to another size."""
    frames = {*state.activations, payload.frame}
    scaled = (
        part
        for frame in frames
        for call in frame.scope.calls
        if call.name in SCALING
        for taken in _taken(call)
        for part in state.taint.of(taken, frame)
    )
    return any(part.read is payload.read for part in scaled)


def _taken(call: ex.Call) -> Iterator[ex.Expression]:
    """What a call may scale: its first argument, or what it is a method of."""
    given = written(call, 0)
    if given is not None:
        yield given
    if isinstance(call.function, ex.Attribute):
        yield call.function.value


def _gone_through(payload: Payload) -> Iterator[str]:
    """The attributes whose elements say what is read: a file for each of them."""
    span, frame = payload.read.span, payload.frame
    current: CallContext | None = frame
    while current is not None:
        for loop in repetition.repeating_loops(current.scope, span):
            for part in walk.walk(loop.source) if loop.source is not None else ():
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
        any(k.scaled for k in found),
        tuple(dict.fromkeys(loader for k in found for loader in k.loaders)),
        any(k.taken for k in found),
    )


def _storage(payload: Payload) -> Storage:
    if payload.joined or not payload.many:
        return Storage.TENSOR if payload.form is Form.TENSOR else Storage.ARRAY
    lists = {Form.TENSOR: Storage.TENSORS, Form.ARRAY: Storage.ARRAYS, Form.OBJECT: Storage.OBJECTS}
    return lists[payload.form]


def dataset_classes(context: AnalysisContext) -> tuple[DatasetClass, ...]:
    """The dataset classes of the project that loaders are given, in the order of places."""
    uses = context[dataset_uses]
    return tuple(DatasetClass(context, use.cls, use.loaders, use.own_loaders) for use in uses)


def unused_eager_classes(context: AnalysisContext) -> tuple[DatasetClass, ...]:
    """Those that read their samples first, and of which the project makes no object."""
    used = {dataset.cls for dataset in context[dataset_classes]}
    classes = (cls for facts in context.modules for cls in facts.module.classes)
    externals = context.solver.classes.externals
    others = (c for c in classes if c not in used and any(map(is_dataset_base, externals(c))))
    found = [DatasetClass(context, cls, (), is_used=False) for cls in others]
    eager = {dataset.cls: dataset for dataset in found if dataset.eager_reads}
    load_makers(context, lambda cls: cls in eager)
    return tuple(dataset for cls, dataset in eager.items() if not is_made(context, cls))


def are_read_first(loader: Loader) -> bool:
    """Whether a constructor of its data sets reads all samples: what is left to do is short."""
    classes = {cls for v in given_datasets(loader) if (cls := project_class(v)) is not None}
    return bool(reads_of(loader.context, classes))


def reads_of(context: AnalysisContext, classes: Iterable[Class]) -> list[EagerRead]:
    """What the constructors of some data sets read and keep."""
    known = {d.cls: d for d in context[dataset_classes]}
    return [read for cls in classes if cls in known for read in known[cls].eager_reads]
