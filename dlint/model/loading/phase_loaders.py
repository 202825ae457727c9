"""Loaders that one call makes for all phases: `{phase: DataLoader(…) for phase in phases}`.

Question: in which phases are they only evaluated, where they train in others? Followed: what
`phases` follows of loops that ask a dict for the loader of a phase. Given up on: loops that leave
off early or pair the batches with others, and calls that make one loader for several phases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.model.loops.phases import spared_keys
from dlint.model.samples.random_transforms import is_in_rounds

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


def evaluated_phases(loader: Loader) -> tuple[str, ...]:
    """The phases in which nothing is learned from the loaders of a call that trains in others."""
    loops = loader.loops
    if any(loop.stops_early or loop.is_single or loop.is_paired for loop in loops):
        return ()
    outer = (frame.call for frame in loader.made.frame.chain() if frame.call is not None)
    if not any(map(is_in_rounds, (loader.call, *outer))):
        return ()
    found = (key for loop in loops for key in spared_keys(loader.context, loop, loader.made))
    return tuple(dict.fromkeys(found))
