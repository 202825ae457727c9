"""iterable-without-worker-sharding: every worker yields the whole stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.stream_parts import may_get_part, unapplied_filters
from dlint.model.data.streams import StreamClass, stream_of
from dlint.model.workers.worker_counts import WorkingLoader

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader

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
    reported: dict[Place, Finding] = {}
    for dataset in context[dataset_classes]:
        stream = stream_of(dataset)
        definition = None if stream is None else stream.definition
        if stream is None or definition is None or stream.is_split or not stream.is_repeated:
            continue
        finding = _finding(dataset, definition)
        known = reported.get(definition.place)
        if finding is not None and (known is None or known.severity is Severity.INFO):
            reported[definition.place] = finding
    yield from reported.values()
    yield from _filtered(context)


def _filtered(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets that split a pipe of their own by a filter which no loader comes to."""
    seen: set[Place] = set()
    for unapplied in unapplied_filters(context):
        severity = _of_filter(unapplied.loaders)
        if severity is not None and unapplied.place not in seen:
            seen.add(unapplied.place)
            owner = Related(unapplied.class_place, "the pipe is made in here")
            message = _FILTERED.format(name=unapplied.class_name)
            yield Finding(severity, message, unapplied.place, (owner,))


def _of_filter(loaders: tuple[Loader, ...]) -> Severity | None:
    """Severe where a loader has several workers; None where no loader has."""
    found = [loader for loader in loaders if not may_get_part(loader)]
    if any(loader.workers.several is not None for loader in found):
        return Severity.ERROR
    possible = not loaders or any(loader.workers.may_be_several for loader in found)
    return Severity.INFO if possible else None


def _finding(dataset: DatasetClass, definition: StreamClass) -> Finding | None:
    open_loaders = [x for x in dataset.own_loaders if not may_get_part(x)]
    advice = _ADVICE if len(open_loaders) == len(dataset.own_loaders) else _SAME
    for loader in open_loaders:
        several = loader.workers.several
        if several is not None:
            related = Related(loader.place, "this loader has several workers")
            message = _message(definition, WorkingLoader(loader, several), advice)
            return Finding(Severity.ERROR, message, definition.place, (related,))
    maybe = [x for x in open_loaders if x.workers.may_be_several]
    if maybe:
        takers = tuple(Related(x.place, "this loader takes it") for x in maybe[:1])
        message = _possible(definition, advice)
        return Finding(Severity.INFO, message, definition.place, takers)
    return None


def _message(definition: StreamClass, working: WorkingLoader, advice: str) -> str:
    number = working.number
    times = "once for each worker" if number is None else f"{number} times"
    return (
        f"`{definition.name}` never asks `get_worker_info()`, so each worker yields all samples: "
        f"with {working.text} every sample comes {times} an epoch; {advice}"
    )


def _possible(definition: StreamClass, advice: str) -> str:
    return (
        f"`{definition.name}` never asks `get_worker_info()`, so each worker yields all samples: "
        f"with `num_workers` above 1 every sample comes once for each worker; {advice}"
    )
