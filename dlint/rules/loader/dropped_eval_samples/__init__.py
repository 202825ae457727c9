"""dropped-eval-samples: an evaluation that leaves samples out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.call_contexts import used
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.roles import is_only_tried, only_evaluates
from dlint.rules.loader.dropped_eval_samples.full_batches import takes_full_batches
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, TRUE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_ONE = Literal.of(1)
_MESSAGE = (
    "this DataLoader is only evaluated, and `drop_last=True` leaves out the samples of the last "
    "batch if it is not full, and the metric is then not that of the whole data; leave `drop_last` "
    "out"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that drop their last batch, and that only evaluation loops read to the end."""
    for call, group in context[Loaders].by_call().items():
        loaders = used(group)
        if not loaders or not all(map(_is_wanting, loaders)):
            continue
        if not context[Consumption].train_from(call):
            yield Finding(Severity.WARNING, _MESSAGE, loaders[0].place, (), _fix(loaders[0]))


def _is_wanting(loader: Loader) -> bool:
    found = loader.argument("drop_last")
    if not found or any(a.value != TRUE or a.assumed is not None for a in found):
        return False
    if any(a.value not in (ABSENT, NONE) for a in loader.argument("sampler")):
        return False
    if all(a.value in (ABSENT, _ONE) for a in loader.argument("batch_size")):
        return False  # a batch of one sample is always full
    if not loader.is_made or any(loop.stops_early for loop in loader.loops):
        return False
    if is_only_tried(loader) or takes_full_batches(loader):
        return False
    return only_evaluates(loader)


def _fix(loader: Loader) -> Fix | None:
    """Evaluate all samples, where the call itself drops some."""
    if loader.written("drop_last") is None:
        return None
    operation = RemoveArgument(loader.place, "drop_last", loader.position("drop_last"), "False")
    return Fix(Applicability.UNSAFE, "Evaluate the last batch too", (operation,))
