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
    Storage.OBJECTS: "each forked worker copies what it touches, in the end all of it",
}
_FRESH = {
    Storage.TENSOR: "workers started by {} share it in /dev/shm",
    Storage.ARRAY: "each worker started by {} gets a full copy, pickled at its start",
    Storage.TENSORS: "workers started by {} need a file descriptor for each tensor",
    Storage.OBJECTS: "each worker started by {} gets a full copy, pickled at its start",
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
    costs = "training waits until all are read"
    if dataset.is_used_without_workers:
        return f"{what}: {costs}; keep the paths and read in `__getitem__`"
    return (
        f"{what}: {costs}, and {_workers(dataset, read)}; keep the paths and read in `__getitem__`"
    )


def _workers(dataset: DatasetClass, read: EagerRead) -> str:
    """What the workers pay, by the ways in which they may be started."""
    methods = {
        m for loader in dataset.loaders for m in start_methods_of(dataset.program, loader)
    } or {StartMethod.FORK}
    parts = [_FORKED[read.storage]] if StartMethod.FORK in methods else []
    fresh = sorted(methods & FRESH)
    if fresh or read.storage is not Storage.TENSOR:
        names = " or ".join(fresh) or "spawn (macOS, Windows)"
        parts.append(_FRESH[read.storage].format(names))
    return ", ".join(parts)
