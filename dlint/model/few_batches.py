"""Loaders of which all steps of a run are known to be few: what they cost is no matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.model.loop_limits import most_batches
from dlint.model.volume import volume_of
from dlint.model.worth import FEW_STEPS, has_few_steps, overlapping

if TYPE_CHECKING:
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop


def takes_few_steps(loader: Loader) -> bool:
    """Whether every loop over a loader is known to take few steps, in all its epochs.

    Steps so large that their copies can be noticed are not few.
    """
    volume = volume_of(loader)
    if has_few_steps(volume) and not overlapping(volume).is_noticeable:
        return True
    return bool(loader.loops) and all(map(_is_short, loader.loops))


def _is_short(loop: BatchLoop) -> bool:
    most = most_batches(loop)
    at_once = loop.scope.kind == "module" and not loop.outer_loops
    return most is not None and at_once and most <= FEW_STEPS.value
