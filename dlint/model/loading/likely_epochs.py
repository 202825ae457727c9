"""Loaders that are likely to be trained on for several epochs, of which nobody knows how many.

Question: does something train on a loader that is made to begin it anew, again and again? Followed:
trainers and runners of frameworks that are handed the loader, or ask a hook for it, whatever number
of epochs they are given but a single one; and code that begins it anew for the rounds of a loop,
while others read the iterator (`prefetcher.reset()`), where names say that it trains. Given up on:
loops that are seen to go over the batches themselves, for `epoch_loops` knows those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.roles import is_named_for_evaluation, is_named_for_training
from dlint.model.loading.trainer_epochs import teacher_of
from dlint.model.loops.epochs import around, is_evaluation

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


def may_run_epochs(loader: Loader) -> bool:
    """Whether a loader is likely to be begun anew for several epochs of a training."""
    return _is_handed_over(loader) or teacher_of(loader) is not None or _is_begun_again(loader)


def _is_handed_over(loader: Loader) -> bool:
    """Whether a framework trains on it that begins its loaders anew in each epoch."""
    found = loader.context[Consumption]
    if is_named_for_evaluation(loader):
        return False
    return any(
        by.runs_epochs
        and (found.trains(loader.made) if call is None else found.is_trained_by(call, loader.made))
        for by, call in found.of(loader.made)
    )


def _is_begun_again(loader: Loader) -> bool:
    """Whether rounds of a loop begin it anew for a training, by its name."""
    if not any(loop.begins_only for loop in loader.loops) or not is_named_for_training(loader):
        return False
    return any(_begins_in_rounds(loader, loop) for loop in loader.loops)


def _begins_in_rounds(loader: Loader, loop: BatchLoop) -> bool:
    if not loop.begins_only or loop.is_single or is_evaluation(loop):
        return False
    return any(True for _ in around(loader, loop))
