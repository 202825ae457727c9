"""grad-tensor-in-dataset: samples that require grad, which no worker can send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.collation import collates_by_default
from dlint.model.samples.grad_samples import tensors_with_gradients
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Tensors that require grad in the samples of loaders with workers, once for each."""
    seen: set[Place] = set()
    for loaders in context[Loaders].by_call().values():
        for loader in loaders:
            workers = loader.workers_present
            if workers is None or not collates_by_default(loader):
                continue
            for place in tensors_with_gradients(loader):
                if place in seen:
                    continue
                seen.add(place)
                yield Finding(
                    Severity.ERROR,
                    "this tensor requires grad, and the workers of the loader "
                    f"({text_of(workers)}) raise RuntimeError when they make a batch of it: "
                    "gradients do not cross processes; keep it without (`.detach()`), and ask for "
                    "gradients in the training loop (`batch.requires_grad_()`)",
                    place,
                    (Related(loader.place, "the workers of this loader take it"),),
                )
