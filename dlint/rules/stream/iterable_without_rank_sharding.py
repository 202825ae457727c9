"""iterable-without-rank-sharding: a stream whose workers take parts, and whose ranks do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.frameworks import Duty
from dlint.model.data import sharding
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.streams import StreamClass, stream_of
from dlint.model.loading.frameworks import Consumption
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.launchers import Launchers

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterable datasets of several ranks that ask for the worker only."""
    if not context[Distributed].is_possible:
        return
    reported: set[Place] = set()
    for dataset in context[dataset_classes]:
        stream = stream_of(dataset)
        definition = None if stream is None else stream.definition
        if stream is None or definition is None or definition.place in reported:
            continue
        if stream.is_split_by_worker_only:
            finding = _finding(dataset, definition)
            if finding is not None:
                reported.add(definition.place)
                yield finding


class _Ranks(NamedTuple):
    """What makes several ranks train a model, and where."""

    name: str
    place: Place


def _finding(dataset: DatasetClass, definition: StreamClass) -> Finding | None:
    for loader in dataset.own_loaders:
        ranks = _ranks(loader)
        if ranks is not None:
            related = [
                Related(loader.place, "every rank makes this loader"),
                Related(ranks.place, "several ranks train this model"),
            ]
            message = _message(definition, ranks)
            return Finding(Severity.ERROR, message, definition.place, tuple(related))
    return None


def _ranks(loader: Loader) -> _Ranks | None:
    """The ranks that train a model on all that the loader yields."""
    takes_over = loader.context[Consumption].takes_over(loader.made, Duty.SPLITS_STREAMS)
    if takes_over is not None or not loader.is_made or loader.may_be_replaced:
        return None
    if loader.may_get("worker_init_fn"):
        return None
    if sharding.is_own_part(loader) or sharding.is_made_up(loader):
        return None
    for replica in loader.context[Distributed].replicas(loader):
        if replica.loop is not None:
            return _Ranks(replica.name, loader.context.place_of(replica.wrap))
    return _launched(loader)


def _launched(loader: Loader) -> _Ranks | None:
    """The ranks of a launcher: it splits no stream."""
    for launcher in loader.context[Launchers].of(loader):
        if launcher.is_distributed:
            return _Ranks(launcher.name, loader.context.place_of(launcher.call))
    return None


def _message(definition: StreamClass, ranks: _Ranks) -> str:
    return (
        f"`{definition.name}` gives each worker a part, and nothing tells the ranks apart that "
        f"train the model ({ranks.name}): all of them yield the same samples; take part "
        "`rank * num_workers + worker.id` of `world_size * num_workers`"
    )
