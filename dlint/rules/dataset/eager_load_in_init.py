"""eager-load-in-init: dataset classes that read the payload of their samples in `__init__`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.object_state.sample_access import divides_elements, picks_places
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.start_methods import FRESH, SPAWNING_PLATFORMS, StartMethod
from dlint.model.data.datasets import Storage, dataset_classes, unused_eager_classes
from dlint.model.workers.starting import start_methods_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.datasets import DatasetClass, EagerRead

_FORKED = {
    Storage.TENSOR: "share the tensor",
    Storage.ARRAY: "share the array",
    Storage.TENSORS: "share the tensors",
    Storage.ARRAYS: "share large arrays",
    Storage.OBJECTS: "copy the objects that they touch",
}
_JOINED = frozenset({Storage.TENSOR, Storage.ARRAY})
_COPY = "each worker gets a full copy"
_FRESH = {
    Storage.TENSOR: "they share it in /dev/shm",
    Storage.ARRAY: _COPY,
    Storage.TENSORS: "each tensor takes a piece of shared memory of its own",
    Storage.ARRAYS: _COPY,
    Storage.OBJECTS: _COPY,
}
"""What workers pay, as far as it was measured (torch 2.13.0, Linux)."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """What constructors of dataset classes read, once for each place."""
    found: dict[Place, tuple[DatasetClass, EagerRead]] = {}
    for dataset in (*context[dataset_classes], *context[unused_eager_classes]):
        if not dataset.keeps_all_by_design:
            for read in dataset.eager_reads:
                found.setdefault(read.place, (dataset, read))
    for dataset, read in found.values():
        yield Finding(
            _severity(dataset, read), _message(dataset, read), read.place, _related(dataset, read)
        )


def _severity(dataset: DatasetClass, read: EagerRead) -> Severity:
    small = dataset.is_used_without_workers or not dataset.is_used or not read.is_taken
    small = small or read.is_single or read.is_array
    # of a sample that is a part of what one file holds, the whole file would be read each time
    held = dataset.context, dataset.cls, read.attribute
    parts = divides_elements(*held) or picks_places(*held)
    cached = read.is_chosen or read.is_scaled or dataset.replaces_reading
    # one array of all samples is decoded once, and forked workers share it
    joined = read.storage in _JOINED
    return Severity.INFO if small or cached or parts or joined else Severity.WARNING


def _related(dataset: DatasetClass, read: EagerRead) -> tuple[Related, ...]:
    reads = [Related(place, "the contents are read here") for place in read.reads[:3]]
    loaders = [Related(x.place, "this loader is given the dataset") for x in read.loaders[:1]]
    return (*reads, *loaders)


def _message(dataset: DatasetClass, read: EagerRead) -> str:
    name, attribute = read.owner.name, read.attribute
    if read.is_single:
        what = "reads whole files" if read.has_files else "reads a whole file"
        them, holding = ("them", "each holds many") if read.has_files else ("it", "it holds all")
        return (
            f"`{name}` {what} in `__init__` and keeps {them} in `self.{attribute}`; if {holding} "
            "samples, a memory map (`mmap_mode`, `mmap=True`) starts at once"
        )
    what, them = ("a whole array", "it") if read.is_array else ("its samples", "them")
    where = "the path and read a part" if read.is_array else "the paths and read"
    workers = "".join(f"; {part}" for part in _workers(dataset, read))
    return (
        f"`{name}` reads {what} in `__init__` and keeps {them} in `self.{attribute}`, so training "
        f"waits until all is read{workers}; keep {where} in `__getitem__`"
    )


def _workers(dataset: DatasetClass, read: EagerRead) -> Iterator[str]:
    """What the workers pay, by the ways in which they may be started."""
    loaders = [loader for loader in read.loaders if not loader.workers_absent]
    if read.loaders and not loaders:
        return
    methods = {m for loader in loaders for m in start_methods_of(dataset.context, loader)}
    if not methods or StartMethod.FORK in methods:
        yield f"forked workers {_FORKED[read.storage]}"
    fresh = " or ".join(sorted(methods & FRESH)) or f"spawn ({', '.join(SPAWNING_PLATFORMS)})"
    yield f"with {fresh} {_FRESH[read.storage]}"
