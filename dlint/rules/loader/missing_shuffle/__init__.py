"""missing-shuffle: training that sees its samples in one and the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.findings.places import Place
from dlint.model.call_contexts import used
from dlint.model.epochs import EpochLoop, epoch_loops
from dlint.model.loaders import Loaders
from dlint.model.roles import is_named_for_evaluation
from dlint.model.timing import is_benchmark
from dlint.rules.loader.missing_shuffle.sample_order import has_own_order, is_map_style
from dlint.rules.loader.missing_shuffle.shuffled_data import comes_shuffled
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_MESSAGE = (
    "training sees the samples in the same order in every epoch, as `shuffle` is off by default "
    "and no sampler is given; set `shuffle=True`, unless the order matters"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that train for several epochs in the order of the data set."""
    for group in context[Loaders].by_call().values():
        loaders = used(group)
        if loaders and all(map(_is_wanting, loaders)):
            yield _finding(loaders[0])


def _is_ordered(loader: Loader) -> bool:
    """Whether neither `shuffle` nor a sampler chooses an order, on any path."""
    if any(a.value not in (ABSENT, NONE, FALSE) for a in loader.argument("shuffle")):
        return False
    return all(
        a.value in (ABSENT, NONE)
        for name in ("sampler", "batch_sampler")
        for a in loader.argument(name)
    )


def _is_wanting(loader: Loader) -> bool:
    if not _is_ordered(loader) or not loader.is_made or loader.is_for_debugging:
        return False
    if is_named_for_evaluation(loader) or any(
        a.value != ABSENT for a in loader.argument("shuffle")
    ):
        return False
    if not is_map_style(loader) or has_own_order(loader) or is_benchmark(loader.call.scope.module):
        return False
    return any(True for _ in _epochs(loader)) and not comes_shuffled(loader)


def _epochs(loader: Loader) -> Iterator[EpochLoop]:
    """The epochs in which the loader's own batches are trained on."""
    return (e for e in epoch_loops(loader) if e.batch_loop.trains and not e.makes(loader.made))


def _finding(loader: Loader) -> Finding:
    epoch = next(_epochs(loader))
    loop = Place(epoch.scope.module.path, *epoch.loop.header)
    related = (
        Related(loop, "the epochs are counted here"),
        Related(epoch.batch_loop.place, "the batches are trained on"),
    )
    return Finding(Severity.WARNING, _MESSAGE, loader.place, related, _fix(loader))


def _fix(loader: Loader) -> Fix:
    """Draw a new order in each epoch."""
    mapping = loader.keywords_place
    shuffle: Operation = SetArgument(loader.place, "shuffle", "True", loader.position("shuffle"))
    if mapping is not None:
        shuffle = SetKey(mapping, "shuffle", "True")
    return Fix(Applicability.UNSAFE, "Shuffle the samples", (shuffle,))
