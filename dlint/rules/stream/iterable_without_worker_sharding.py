"""iterable-without-worker-sharding: every worker yields the whole stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model import samples
from dlint.model.datasets import dataset_classes
from dlint.model.streams import Stream, is_stream, prepares_worker
from dlint.model.worker_counts import number_of, text_of
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Class
    from dlint.model.datasets import DatasetClass
    from dlint.model.loader import Loader
    from dlint.semantics.values.conditional_value import ConditionalValue

_ADVICE = (
    "let each worker yield a part, such as "
    "`itertools.islice(samples, worker.id, None, worker.num_workers)`"
)

_FILTERED = (
    "`sharding_filter` keeps everything here: a DataLoader tells the filters of a DataPipe that it "
    "is given which part they are to keep, and looks for none in `{name}`, so each worker and rank "
    "yields all samples; make the pipe outside and give that to the loader, or " + _ADVICE
)

_SAME = "give this loader the `worker_init_fn` that splits the samples for the others"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterable datasets that never ask which worker they are in."""
    reported: dict[Class, Finding] = {}
    for dataset in context[dataset_classes]:
        if not is_stream(context, dataset.cls):
            continue
        stream = Stream(context, dataset.cls)
        if stream.owner is None or stream.is_split or not stream.is_repeated:
            continue
        finding = _finding(dataset, stream.owner)
        known = reported.get(stream.owner)
        if finding is not None and (known is None or known.severity is Severity.INFO):
            reported[stream.owner] = finding
    yield from reported.values()
    yield from _filtered(context)


def _filtered(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets that split a pipe of their own by a filter which no loader comes to."""
    known = {dataset.cls: dataset.own_loaders for dataset in context[dataset_classes]}
    seen: set[ex.Call] = set()
    for facts in context.modules:
        for cls in facts.module.classes:
            call = Stream(context, cls).unapplied_filter if is_stream(context, cls) else None
            severity = _of_filter(known.get(cls, ()))
            if call is not None and call not in seen and severity is not None:
                seen.add(call)
                owner = Related(Place(facts.module.path, *cls.header), "the pipe is made in here")
                message = _FILTERED.format(name=cls.name)
                yield Finding(severity, message, context.place_of(call), (owner,))


def _of_filter(loaders: tuple[Loader, ...]) -> Severity | None:
    """Severe where a loader has several workers; None where no loader has."""
    found = [loader for loader in loaders if not _gives_parts(loader)]
    if any(loader.workers.several is not None for loader in found):
        return Severity.ERROR
    possible = not loaders or any(loader.workers.may_be_several for loader in found)
    return Severity.INFO if possible else None


def _finding(dataset: DatasetClass, owner: Class) -> Finding | None:
    place = Place(owner.body.module.path, *owner.header)
    open_loaders = [x for x in dataset.own_loaders if not _gives_parts(x)]
    advice = _ADVICE if len(open_loaders) == len(dataset.own_loaders) else _SAME
    for loader in open_loaders:
        count = loader.workers.several
        if count is not None:
            related = Related(loader.place, "this loader has several workers")
            message = _message(owner, count, advice)
            return Finding(Severity.ERROR, message, place, (related,))
    maybe = [x for x in open_loaders if x.workers.may_be_several]
    if maybe:
        related_loaders = tuple(Related(x.place, "this loader takes it") for x in maybe[:1])
        return Finding(Severity.INFO, _possible(owner, advice), place, related_loaders)
    return None


def _gives_parts(loader: Loader) -> bool:
    """Whether a function that runs first in each worker may give the dataset its part."""
    for function in loader.values("worker_init_fn"):
        scope = samples.callee_of(loader.context, function)
        if scope is None and function != NONE:
            return True
        if scope is not None and prepares_worker(scope):
            return True
    return False


def _message(owner: Class, count: ConditionalValue, advice: str) -> str:
    number = number_of(count)
    times = "once for each worker" if number is None else f"{number} times"
    return (
        f"`{owner.name}` never asks `get_worker_info()`, so each worker yields all samples: with "
        f"{text_of(count)} every sample comes {times} an epoch; {advice}"
    )


def _possible(owner: Class, advice: str) -> str:
    return (
        f"`{owner.name}` never asks `get_worker_info()`, so each worker yields all samples: with "
        f"`num_workers` above 1 every sample comes once for each worker; {advice}"
    )
