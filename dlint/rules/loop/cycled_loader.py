"""cycled-loader: `itertools.cycle(loader)`, which keeps every batch and repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data import sharding
from dlint.model.data.endless_iterators import is_drawn_forever
from dlint.model.loops.cycles import cycles
from dlint.model.samplers.index_order import leaves_none_out

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_REPEATED = (
    "`itertools.cycle` keeps every batch of the first pass in memory and then repeats these very "
    "batches, neither shuffled nor augmented anew; iterate the loader again instead: "
    "`while True: yield from loader`"
)
_ENDLESS = (
    "`itertools.cycle` keeps every batch in memory, and the sampler of this loader never ends: "
    "memory grows for as long as the program runs; iterate the loader itself"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given to `itertools.cycle`."""
    for place, loaders in cycles(context):
        if not any(map(sharding.is_made_up, loaders)):
            related = (Related(loaders[0].place, "the loader is made here"),)
            severity = Severity.INFO if all(map(_may_be_few, loaders)) else Severity.WARNING
            message = _ENDLESS if all(map(is_drawn_forever, loaders)) else _REPEATED
            yield Finding(severity, message, place, related)


def _may_be_few(loader: Loader) -> bool:
    """Whether a sampler may leave a handful of samples, which are no matter to keep."""
    return not leaves_none_out(loader) and not is_drawn_forever(loader)
