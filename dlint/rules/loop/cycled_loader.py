"""cycled-loader: `itertools.cycle(loader)`, which keeps every batch and repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data import sharding
from dlint.model.loops.cycles import cycles

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MESSAGE = (
    "`itertools.cycle` keeps every batch of the first pass in memory and then repeats these very "
    "batches, neither shuffled nor augmented anew; iterate the loader again instead: "
    "`while True: yield from loader`"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given to `itertools.cycle`."""
    for place, loaders in cycles(context):
        if not any(map(sharding.is_made_up, loaders)):
            related = (Related(loaders[0].place, "the loader is made here"),)
            few = any(map(_draws_from_part, loaders))
            severity = Severity.INFO if few else Severity.WARNING
            yield Finding(severity, _MESSAGE, place, related)


def _draws_from_part(loader: Loader) -> bool:
    """Whether a sampler may leave a handful of samples, which are no matter to keep."""
    return loader.gives("sampler")
