"""Random transforms of data that is only evaluated, where a run may come to that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.idle.idleness import IdleCode
from dlint.library_facts.checkpoints import GIVING, READING
from dlint.library_facts.seeding import EVERYTHING, SEEDERS
from dlint.model.data.data_within import data_within
from dlint.model.data.dataset_origins import DatasetOrigins, Origin
from dlint.model.data.split_attributes import may_change_transform, whole_assignments
from dlint.model.loading.call_contexts import used
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import (
    is_asked_by_nobody,
    is_itself_named_for_evaluation,
    is_named_for_training,
    is_only_tried,
    only_evaluates,
    serves_training,
)
from dlint.model.loading.unseen_users import may_be_used_unseen
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_any, calls_in
from dlint.model.loops.epochs import repeating_loops
from dlint.model.loops.summed_batches import adds_up
from dlint.model.samples.random_samples import RandomSamples, random_samples
from dlint.model.transfers.host_batches import asks_no_model

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


_SEEDING = frozenset(SEEDERS) | EVERYTHING


class RandomEvaluation(NamedTuple):
    """A data set that draws for each sample, and a loader of it that evaluates."""

    samples: RandomSamples
    loader: Loader


def random_evaluations(context: AnalysisContext) -> Iterator[RandomEvaluation]:
    """The random transforms of data sets that only evaluations take samples of."""
    groups = context[Loaders].by_call().values()
    trained = {
        whole
        for loaders in groups
        for loader in used(loaders)
        if _may_train(loader)
        for whole in data_within(loader)
    }
    for loaders in groups:
        for loader in used(loaders):
            for samples in _random_samples(context, loader, trained):
                yield RandomEvaluation(samples, loader)


def _may_train(loader: Loader) -> bool:
    """Whether something may learn from a loader: by its name, or as nobody sees who takes it.

    Nobody is thought to learn unseen from one that has itself a name of evaluation, its data aside,
    where no code that is not known is given it.
    """
    if loader.trains or serves_training(loader) or is_named_for_training(loader):
        return True
    frameworks = loader.context[Consumption]
    if loader.loops or frameworks.of(loader.made) or frameworks.hooks_of(loader.made):
        return False
    return not is_itself_named_for_evaluation(loader) or may_be_used_unseen(loader)


def _random_samples(
    context: AnalysisContext, loader: Loader, trained: set[Origin]
) -> Iterator[RandomSamples]:
    """Where all that a loader may be given draws for its samples, if it is only evaluated."""
    if not only_evaluates(loader) or not loader.is_made or is_asked_by_nobody(loader):
        return
    if context[IdleCode].certain(loader.place) is not None:
        return
    if _is_looked_at(loader) or is_only_tried(loader):
        return
    if asks_no_model(loader):
        return
    if _is_repeated(context, loader) or _is_seeded(context, loader):
        return
    wholes = _wholes(context, loader) or frozenset()
    found = [random_samples(context, whole) for whole in wholes]
    for whole, random in zip(wholes, found, strict=True):
        if random is None or whole in trained or any(whole_assignments(context, whole)):
            return
        if may_change_transform(context, whole):
            return
    yield from (random for random in found if random is not None)


def _is_looked_at(loader: Loader) -> bool:
    """Whether some loop only looks at a batch, and no other adds up a metric over them."""
    looks = any(map(_is_a_look, loader.loops))
    return looks and not any(adds_up(x) for x in loader.loops if not _is_a_look(x))


def _is_a_look(loop: BatchLoop) -> bool:
    """Whether a loop leaves off after some batches, and adds up no metric over them."""
    return loop.stops_early and not adds_up(loop)


def _wholes(context: AnalysisContext, loader: Loader) -> frozenset[Origin] | None:
    """The data sets that a loader takes samples or a part of."""
    origins = context[DatasetOrigins]
    given = origins.of_loader(loader)
    parts = [origins.whole(o) if origins.is_part(o) else {o} for o in given or ()]
    known = [part for part in parts if part is not None]
    return frozenset[Origin]().union(*known) if len(known) == len(parts) else None


def _is_repeated(context: AnalysisContext, loader: Loader) -> bool:
    """Whether several passes of one model are made without training: their mean is wanted."""
    return any(
        not calls_any(context, epoch.loop.body, GRADIENT_STEPS)
        and not _takes_other_weights(context, epoch.loop.body)
        for epoch in repeating_loops(loader)
    )


def _takes_other_weights(context: AnalysisContext, body: Block) -> bool:
    """Whether each pass is that of another model, or of another state of it."""
    return any(
        call.name in GIVING or is_call_to(context, call, READING)
        for call in calls_below(context, calls_in(body), 1)
    )


def _is_seeded(context: AnalysisContext, loader: Loader) -> bool:
    """Whether a function seeds before it evaluates, so that each pass draws the same."""
    scopes = {loop.scope for loop in loader.loops}
    return any(
        is_call_to(context, call, _SEEDING)
        for scope in scopes
        if scope.kind != "module"
        for call in calls_below(context, scope.calls, 1)
    )
