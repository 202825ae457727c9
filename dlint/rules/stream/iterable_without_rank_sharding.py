"""iterable-without-rank-sharding: a stream whose workers take parts, and whose ranks do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.library_facts.frameworks import Duty
from dlint.model import sharding
from dlint.model.datasets import dataset_classes
from dlint.model.distributed import Distributed, Replica
from dlint.model.frameworks import Consumption
from dlint.model.launchers import Launchers
from dlint.model.streams import Stream, is_stream
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.datasets import DatasetClass
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterable datasets of several ranks that ask for the worker only."""
    if not context[Distributed].is_possible:
        return
    reported: set[Class] = set()
    for dataset in context[dataset_classes]:
        stream = Stream(context, dataset.cls) if is_stream(context, dataset.cls) else None
        if stream is None or stream.owner is None or stream.owner in reported:
            continue
        if stream.is_split_by_worker_only:
            finding = _finding(dataset, stream.owner)
            if finding is not None:
                reported.add(stream.owner)
                yield finding


def _finding(dataset: DatasetClass, owner: Class) -> Finding | None:
    for loader in dataset.own_loaders:
        replica = _replica(loader)
        if replica is not None:
            related = [
                Related(loader.place, "every rank makes this loader"),
                Related(loader.context.place_of(replica.wrap), "several ranks train this model"),
            ]
            place = Place(owner.body.module.path, *owner.header)
            return Finding(Severity.ERROR, _message(owner, replica), place, tuple(related))
    return None


def _replica(loader: Loader) -> Replica | None:
    """A model that several ranks train on all that the loader yields."""
    takes_over = loader.context[Consumption].takes_over(loader.made, Duty.SPLITS_STREAMS)
    if takes_over is not None or not loader.is_made or loader.may_be_replaced:
        return None
    if loader.values("worker_init_fn") - {NONE}:
        return None
    if sharding.is_sharded(loader) or sharding.is_made_up(loader):
        return None
    found = loader.context[Distributed].replicas(loader)
    return next((replica for replica in found if replica.loop is not None), None) or _launched(
        loader
    )


def _launched(loader: Loader) -> Replica | None:
    """The ranks of a launcher: it splits no stream."""
    for launcher in loader.context[Launchers].of(loader):
        if launcher.is_distributed:
            return Replica(launcher.name, launcher.call, frozenset(), None)
    return None


def _message(owner: Class, replica: Replica) -> str:
    return (
        f"`{owner.name}` gives each worker a part, and nothing tells the ranks apart that train "
        f"the model ({replica.name}): all of them yield the same samples; take part "
        "`rank * num_workers + worker.id` of `world_size * num_workers`"
    )
