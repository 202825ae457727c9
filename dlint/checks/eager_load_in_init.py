"""eager-load-in-init: dataset classes that read the payload of their samples in `__init__`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.checks import Finding
from dlint.diagnostic import Related, Severity
from dlint.domain.datasets import Storage
from dlint.domain.workers import start_methods_of
from dlint.knowledge.start_methods import FRESH, StartMethod

if TYPE_CHECKING:
    from dlint.domain.datasets import DatasetClass, EagerRead
    from dlint.domain.program import Program
    from dlint.places import Place

_FORKED = {
    Storage.TENSOR: "forked workers share the tensor",
    Storage.ARRAY: "forked workers share the array",
    Storage.TENSORS: "forked workers share the tensors",
    Storage.ARRAYS: "forked workers share large arrays and copy small ones as they touch them",
    Storage.OBJECTS: "forked workers copy the objects as they touch them",
}
_FRESH = {
    Storage.TENSOR: "workers started by {} share it through /dev/shm",
    Storage.ARRAY: "workers started by {} get a full copy each",
    Storage.TENSORS: "workers started by {} need a file descriptor for each tensor",
    Storage.ARRAYS: "workers started by {} get a full copy each",
    Storage.OBJECTS: "workers started by {} get a full copy each",
}
"""What workers pay, as far as it was measured (torch 2.13.0, Linux)."""


def check(program: Program) -> Iterator[Finding]:
    """What constructors of dataset classes read, once for each place."""
    found: dict[Place, tuple[DatasetClass, EagerRead]] = {}
    for dataset in program.dataset_classes:
        if not dataset.keeps_all_by_design:
            for read in dataset.eager_reads:
                found.setdefault(read.place, (dataset, read))
    for dataset, read in found.values():
        yield Finding(
            _severity(dataset, read), _message(dataset, read), read.place, _related(dataset, read)
        )


def _severity(dataset: DatasetClass, read: EagerRead) -> Severity:
    wanted = dataset.is_used_without_workers or read.is_single
    return Severity.INFO if wanted else Severity.WARNING


def _related(dataset: DatasetClass, read: EagerRead) -> tuple[Related, ...]:
    reads = [Related(place, "the contents are read here") for place in read.reads[:3]]
    loaders = [Related(x.place, "this loader is given the dataset") for x in dataset.loaders[:1]]
    return (*reads, *loaders)


def _message(dataset: DatasetClass, read: EagerRead) -> str:
    name, attribute = read.owner.name, read.attribute
    if read.is_single:
        return (
            f"`{name}` reads a whole file in `__init__` and keeps it in `self.{attribute}`; if it "
            "holds all samples, a memory map (`mmap_mode`, `mmap=True`) starts at once"
        )
    what = f"`{name}` reads its samples in `__init__` and keeps them in `self.{attribute}`"
    workers = "".join(f"; {part}" for part in _workers(dataset, read))
    advice = "keep the paths and read in `__getitem__`"
    return f"{what}, so training waits for the last one{workers}; {advice}"


def _workers(dataset: DatasetClass, read: EagerRead) -> Iterator[str]:
    """What the workers pay, by the ways in which they may be started."""
    loaders = [loader for loader in dataset.loaders if not loader.workers_absent]
    if dataset.loaders and not loaders:
        return
    methods = {m for loader in loaders for m in start_methods_of(dataset.program, loader)}
    if not methods or StartMethod.FORK in methods:
        yield _FORKED[read.storage]
    fresh = sorted(methods & FRESH)
    yield _FRESH[read.storage].format(" or ".join(fresh) or "spawn (macOS, Windows)")
