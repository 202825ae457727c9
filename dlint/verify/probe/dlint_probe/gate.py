"""Slices of a window: the program runs when it is told to, and waits at `next()` meanwhile."""

# ruff: noqa: PTH105, PTH110, PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import time

from .state import Loader, clock, synchronise

_TICK, _LONG_TICK, _PATIENCE = 0.002, 0.02, 1.0
"""Seconds between two looks for a word; longer ones where others have their turns for long: who
waits must not disturb them."""


class Gate:
    """Takes turns with another program. Words are files: `done.N` says how long the slice before
    the N-th word took, `go.N` answers it with `go` or `end`."""

    def __init__(self, folder: str, skip: int, steps: int) -> None:
        self._folder, self._skip, self._steps = folder, skip, steps
        self._number = 0
        self._began: float | None = None
        """When the slice began; None while its first steps are skipped."""
        self.due = 0
        """The number of batches at which there is something to do."""
        self.slices: list[tuple[int, int, float]] = []
        """Of each slice the first batch, the steps, and the seconds."""

    def enter(self, loader: Loader) -> bool:
        """A batch is asked for. Returns whether this is the end. The end of an epoch is asked for,
        too, but it is no batch."""
        if self._number and loader.batches < self.due:
            return False
        if self._number and self._began is None:
            synchronise()
            self._began, self.due = clock(), loader.batches + self._steps
            return False
        return self._turn(loader.batches)

    def _turn(self, batches: int) -> bool:
        """The slice is over: say so, and wait for the next one."""
        seconds = 0.0
        if self._began is not None:
            synchronise()
            seconds = clock() - self._began
            self.slices.append((batches - self._steps, self._steps, seconds))
        word = self._ask(seconds)
        self._number += 1
        self._began, self.due = None, batches + max(1, self._skip)
        return word == "end"

    def _ask(self, seconds: float) -> str:
        done = os.path.join(self._folder, f"done.{self._number}")
        with open(done + ".new", "w") as file:
            file.write(repr(seconds))
        os.replace(done + ".new", done)
        go = os.path.join(self._folder, f"go.{self._number}")
        patient = clock() + _PATIENCE
        while not os.path.exists(go):
            time.sleep(_TICK if clock() < patient else _LONG_TICK)
        with open(go) as file:
            return file.read()
