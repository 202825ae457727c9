"""Loaders whose workers could live on from one epoch to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.idle.failing_loops import FailingLoops
from dlint.model.data.dataset_changes import changes_dataset
from dlint.model.data.endless_iterators import is_endless
from dlint.model.loading.argument_homes import keywords_place
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.remade_loaders import outlasts
from dlint.model.loops.epochs import EpochLoop, beyond, is_evaluation, repeating_loops
from dlint.model.loops.shared_iterators import may_begin_twice
from dlint.model.samples.stored_edits import may_edit_stored
from dlint.model.versions.version_facts import exists
from dlint.model.workers.held_changes import changes_held_objects
from dlint.rules.loader._pinning import wants_pinning

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


def fact_of(loader: Loader) -> str:
    """The fact without which its workers cannot live on.

    In torch 1.7 a loader whose workers live on crashes in its second epoch if its batches are
    pinned too (pytorch#48370); the advice to pin counts as well.
    """
    plain = loader.is_unpinned and not wants_pinning(loader)
    return "persistent-workers" if plain else "persistent-workers-with-pinning"


def may_last(loader: Loader) -> bool:
    """Whether its workers may live on in the torch of its project, beside what pins its batches,
    and leave the samples that its data set keeps as they are: what they edit would add up."""
    is_known = exists(loader.context, fact_of(loader), loader.place.path)
    return is_known and not may_edit_stored(loader)


def rounds(loader: Loader) -> list[EpochLoop]:
    """The loops that run one loader again and again, those that train first.

    None where its workers cannot be kept, or should not: the loader or its data set is another one
    each time, it never ends, it is for debugging, the first round certainly fails, one iteration of
    it may begin while another is not done.
    """
    return loader.context[_Known].rounds(loader)


def others_change(loader: Loader) -> bool:
    """Whether the same call makes a loader for a run that changes what its workers work with."""
    known = loader.context[_Known]
    others = loader.context[Loaders].by_call().get(loader.call, [])
    return any(known.changes(one, epoch) for one in others for epoch in repeating_loops(one))


def kept_where(loaders: list[Loader]) -> str | None:
    """Where there are workers to keep, as source text: torch refuses to keep none.

    What is handed in may be 0 one day, whatever the calls of today give, and so may a share of it.
    """
    workers, is_hidden = loaders[0].workers, keywords_place(loaders[0]) is not None
    guard = None if workers.name is None or is_hidden else f"{workers.name} > 0"
    if workers.is_scaled or not all(loader.workers.is_certain for loader in loaders):
        return guard
    return guard if guard is not None and workers.is_handed_in else "True"


def keeping_of(loaders: list[Loader]) -> str:
    """How a message names the argument that keeps the workers of loaders that one call makes."""
    value = kept_where(loaders)
    if value is None:
        return "`persistent_workers=True` (only where there are workers)"
    return f"`persistent_workers={value}`"


class _Known:
    """What is known of loaders already: each is asked about with all that the same call makes."""

    def __init__(self, _: AnalysisContext) -> None:
        self._rounds: dict[Loader, list[EpochLoop]] = {}
        self._changes: dict[tuple[object, ...], bool] = {}

    def rounds(self, loader: Loader) -> list[EpochLoop]:
        if loader not in self._rounds:
            self._rounds[loader] = self._found(loader)
        return self._rounds[loader]

    def _found(self, loader: Loader) -> list[EpochLoop]:
        if loader.is_for_debugging or loader.is_fallback or is_endless(loader):
            return []
        if may_begin_twice(loader):
            return []
        repeating = (e for e in repeating_loops(loader) if not e.makes(loader.made))
        lasting = (epoch for epoch in repeating if outlasts(loader, epoch))
        failing = loader.context[FailingLoops]
        going_on = (epoch for epoch in lasting if failing.of(epoch.loop, epoch.scope) is None)
        found = [epoch for epoch in going_on if not epoch.is_single_for(loader)]
        if any(epoch.replaces(loader.made) or self.changes(loader, epoch) for epoch in found):
            return []
        return sorted(found, key=lambda epoch: is_evaluation(epoch.batch_loop))

    def changes(self, loader: Loader, epoch: EpochLoop) -> bool:
        key = loader, epoch.batch_loop, *epoch.code
        if key not in self._changes:
            self._changes[key] = _changes(loader, epoch)
        return self._changes[key]


def _changes(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether what workers work with changes from one round to the next, or in loops further out.

    That is the data set, or an object by which its samples are made or put together.
    """
    around = (epoch, *beyond(loader, epoch))
    if any(changes_dataset(loader, one) for one in around):
        return True
    return any(changes_held_objects(loader, one) for one in around)
