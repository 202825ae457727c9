"""costly-collate: batches of NumPy arrays, which workers send by value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.loading.loaders import Loaders
from dlint.model.machines.hardware import computes_with_jax
from dlint.model.samples.batch_arrays import BatchArray, batch_arrays
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Collate functions that return arrays of joined samples, in loaders with workers."""
    reported: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            if loader.workers_present is None:
                continue
            found = next(batch_arrays(loader), None)
            if found is not None and found.place not in reported and not _feeds_jax(loader):
                reported.add(found.place)
                yield _finding(loader, found)


def _feeds_jax(loader: Loader) -> bool:
    """Whether its arrays may go to functions that JAX compiles, which take no tensors."""
    return not loader.reaches_cuda and computes_with_jax(loader.context, loader.place.path)


def _finding(loader: Loader, found: BatchArray) -> Finding:
    assert loader.workers_present is not None
    message = (
        f"`{found.function.name}` returns a NumPy array: a worker copies it through a pipe, byte "
        f"by byte, while a tensor goes through shared memory ({text_of(loader.workers_present)}); "
        "return a tensor, such as by `torch.from_numpy`"
    )
    related = (Related(loader.place, "the workers of this loader collate with it"),)
    return Finding(Severity.WARNING, message, found.place, related)
