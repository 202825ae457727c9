"""Evaluations over samplers that repeat samples, whose ranks add up what they have counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.model.epochs import is_evaluation
from dlint.model.frameworks import Consumption
from dlint.model.sample_averages import adds_over_ranks

if TYPE_CHECKING:
    from dlint.model.loops import BatchLoop
    from dlint.model.samplers import Sampler


def padded(sampler: Sampler) -> BatchLoop | None:
    """A loop that only evaluates, over a sampler that repeats samples, and adds up over ranks."""
    dropping = (a for a in sampler.argument("drop_last") if not a.is_absent)
    if sampler.has_own_order or any(a.truth is not False for a in dropping):
        return None
    loops = [(loader, loop) for loader in sampler.loaders for loop in loader.loops]
    if not loops or not all(is_evaluation(loop) for _, loop in loops):
        return None
    for loader, loop in loops:
        if not sampler.context[Consumption].of(loader.made) and adds_over_ranks(loop):
            return loop
    return None
