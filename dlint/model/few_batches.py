"""Loaders of which all steps of a run are known to be few: what they cost is no matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
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


def begins_anew_for_each_batch(loader: Loader) -> bool:
    """Whether all its batches are asked for by `next(iter(loader))`: workers would start for each.

    A loader that a framework iterates is asked for more than that.
    """
    asking = [x for x in loader.loops if x.is_single and _is_iterator(x.iterable)]
    statements = {loop.statement for loop in asking}
    return bool(asking) and all(loop.statement in statements for loop in loader.loops)


def _is_iterator(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Call) and expression.name == "iter"


def _is_short(loop: BatchLoop) -> bool:
    most = most_batches(loop)
    at_once = loop.scope.kind == "module" and not loop.outer_loops
    return most is not None and at_once and most <= FEW_STEPS.value
