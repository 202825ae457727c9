"""Loops whose steps an accelerator computes.

Question: does a loop over a loader compute on an accelerator, so that a read of a result waits for
it? Followed: batches that are copied there, models that lie there and that the loop calls, itself
or in functions that it enters. A device that is not known counts where the program speaks of an
accelerator. Given up on: models that are called through other objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import calls_below
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.machines.hardware import targets_accelerator
from dlint.model.transfers.devices import Device
from dlint.model.transfers.model_devices import lies_on_accelerator

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_DEEP = 2
"""How many calls one inside the other a loop is from its model."""


def runs_on_accelerator(context: AnalysisContext, loop: BatchLoop) -> bool:
    """Whether the batches of a loop go to an accelerator, or a model that it calls lies there."""
    loaders = [context[Loaders].of(made) for made in loop.loaders]
    return any(map(_is_sent, loaders)) or _calls_model_there(context, loop)


def _is_sent(loader: Loader) -> bool:
    """Whether batches go to an accelerator, by all that is known."""
    return loader.reaches_cuda or any(
        copy.devices == {Device.OTHER}
        and not copy.follows_output
        and targets_accelerator(loader.context, copy.place.path)
        for copy in loader.transfers
    )


def _calls_model_there(context: AnalysisContext, loop: BatchLoop) -> bool:
    """Whether a loop calls a model that was moved to an accelerator."""
    if loop.body is None:
        return False
    made = calls_below(context, calls_in(loop.body), _DEEP)
    return any(lies_on_accelerator(context, call) for call in made)
