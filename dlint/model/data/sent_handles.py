"""Who keeps what a constructor has opened, where workers use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.object_state.sample_access import TAKES
from dlint.model.data import handles
from dlint.model.data.datasets import DatasetClass, dataset_classes
from dlint.model.workers.held_objects import called_objects, held_objects
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.data.handles import KeptHandle
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry


_PICKLED = ("__getstate__", "__reduce__", "__reduce_ex__")


class Keeper(NamedTuple):
    """A data set, or an object that the data set `holder` was given, and its worker code.

    `through` are the classes of the objects that are pickled with it. An object that is a collate
    function or a transform has no holder.
    """

    of: DatasetClass
    entries: Sequence[Entry]
    holder: DatasetClass | None = None
    through: tuple[Class, ...] = ()

    def names(self, kept: KeptHandle) -> set[object]:
        """By what a handle was told already: its place, or as one that its holder keeps."""
        return {kept.place, self.holder and (self.holder.cls, kept.opened)}

    @property
    def says_what_is_pickled(self) -> bool:
        """Whether a class of what is sent decides itself what is pickled of its objects."""
        classes = self.of.context.solver.classes
        sent = (self.of.cls, *self.through)
        return any(classes.method(cls, name) for cls in sent for name in _PICKLED)

    @property
    def is_dataset(self) -> bool:
        """Whether workers take samples from it."""
        return self.holder is None and any(entry.role in TAKES for entry in self.entries)


def keepers(context: AnalysisContext) -> Iterator[Keeper]:
    for dataset in context[dataset_classes]:
        yield Keeper(dataset, context[WorkerCode].of_class(dataset.cls))
        if any(not loader.workers_absent for loader in dataset.own_loaders):
            for held in held_objects(dataset):
                yield Keeper(dataset.with_class(held.cls), held.entries, dataset, held.through)
    for entry in called_objects(context):
        if entry.cls is not None:
            loaders = tuple(entry.loaders)
            yield Keeper(DatasetClass(context, entry.cls, loaders, loaders), (entry,))


def is_used(keeper: Keeper, kept: KeptHandle) -> bool:
    """Whether workers read the handle, and never open one of their own."""
    used = any(handles.reads_through(entry, kept) for entry in keeper.entries)
    return used and not any(handles.opens_own(entry, kept.attribute) for entry in keeper.entries)


def reopens(dataset: DatasetClass, loader: Loader, attribute: str) -> bool:
    """Whether each worker opens its own handle when it starts, as far as can be known."""
    entries = dataset.context[WorkerCode].initialising(loader)
    if not entries:
        return not loader.values("worker_init_fn") <= {NONE}
    return any(handles.reopens(entry, dataset.cls, attribute) for entry in entries)
