"""dropped-eval-samples: an evaluation that leaves samples out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.call_contexts import used
from dlint.model.frameworks import Consumption
from dlint.model.full_batches import takes_full_batches
from dlint.model.loaders import Loaders
from dlint.model.roles import is_only_tried, only_evaluates
from dlint.model.volume import volume_of
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

_SHARED = (
    "one function makes a DataLoader to train on and one that is only evaluated, both with "
    "`drop_last=True`: the evaluation leaves out the samples of the last batch if it is not full, "
    "and its metric is not that of the whole data; drop it for training alone"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that drop their last batch, and that only evaluation loops read to the end."""
    for call, group in context[Loaders].by_call().items():
        loaders = used(group)
        wanting = [loader for loader in loaders if _is_wanting(loader)]
        if wanting and len(wanting) < len(loaders) and _is_shared(loaders, wanting):
            maker = Related(wanting[0].context_place, "this loader is only evaluated")
            at = wanting[0].argument_place("drop_last")
            yield Finding(Severity.INFO, _SHARED, wanting[0].place, (maker,), argument=at)
        if not wanting or len(wanting) < len(loaders):
            continue
        if not context[Consumption].train_from(call):
            first = loaders[0]
            at = first.argument_place("drop_last")
            yield Finding(Severity.INFO, _MESSAGE, first.place, (), _fix(first), at)


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
    if is_only_tried(loader) or takes_full_batches(loader) or volume_of(loader).fills_batches:
        return False
    return only_evaluates(loader)


def _is_shared(loaders: list[Loader], wanting: list[Loader]) -> bool:
    """Whether callers of one function get a loader each, to train on or to evaluate only."""
    others = [loader for loader in loaders if loader not in wanting]
    places = {loader.context_place for loader in others}
    return (
        all(loader.has_context for loader in loaders)
        and any(loader.trains for loader in others)
        and not any(loader.context_place in places for loader in wanting)
    )


def _fix(loader: Loader) -> Fix | None:
    """Evaluate all samples, where the call itself drops some."""
    if loader.written("drop_last") is None:
        return None
    operation = RemoveArgument(loader.place, "drop_last", loader.position("drop_last"), "False")
    return Fix(Applicability.UNSAFE, "Evaluate the last batch too", (operation,))
