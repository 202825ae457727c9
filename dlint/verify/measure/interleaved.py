"""Two variants that live at once and take turns: noise that is slower than a turn hits both."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import psutil

from dlint.verify.measure.record import Record
from dlint.verify.run.live import OUT_OF_TIME
from dlint.verify.run.runner import Run, RunConfig

SLICES = 8
"""Turns of each side in one restart. The restart is the unit: its turns are no evidence of their
own."""
_TICK = 0.002
_SHARE = 0.8
"""Of the free memory that all together may use."""
_ROOMS = (6, 4, 2)
"""Programs that may live at once: two that take turns, and others that wait for theirs. Their
starts take the time of one, as far as there are CPUs and a fast disk."""
_LEAVING = 30.0


class Living(Protocol):
    """A run that goes on."""

    @property
    def gate(self) -> Path:
        """Where it asks for its turns."""

    def ended(self) -> bool:
        """Whether its process is gone."""


class Turns(NamedTuple):
    """How long both may take."""

    startup: float
    """Seconds to the first turn."""
    each: float
    """Seconds that a turn may take."""
    settle: float = 0.0
    """Seconds before each turn, in which the workers of the side that stopped fill its queue."""
    number: int = SLICES
    """Turns of each side."""
    ends: float = math.inf
    """When it is over in any case, on the monotonic clock."""


def turns_of(setting: RunConfig, startup_limit: float) -> Turns:
    """The same by the setting of a run."""
    startup = startup_limit + setting.limit
    return Turns(startup, setting.limit, setting.settle, setting.turns, setting.ends)


def gather(sides: Sequence[Living], startup: float, ends: float = math.inf) -> None:
    """Wait until each of them asks for its first turn, or is gone: a program that starts would
    disturb one that is timed."""
    end = min(ends, time.monotonic() + startup)
    for side in sides:
        _wait(side, 0, end)


def conduct(sides: Sequence[Living], turns: Turns) -> str | None:
    """Give turns to two runs in the order ABBA, and end them. Returns the limit that was hit."""
    for side in sides:
        if not _wait(side, 0, _until(turns.startup, turns)):
            return None if _gone(sides) else _over(f"no turn within {turns.startup:.0f} s", turns)
    for number in range(turns.number):
        for side in sides if number % 2 == 0 else sides[::-1]:
            time.sleep(turns.settle)
            _say(side, number, "go")
            if not _wait(side, number + 1, _until(turns.each, turns)):
                late = f"a turn took more than {turns.each:.0f} s"
                return None if _gone(sides) else _over(late, turns)
    for side in sides:
        _say(side, turns.number, "end")
    end = time.monotonic() + _LEAVING
    while not all(side.ended() for side in sides) and time.monotonic() < end:
        time.sleep(_TICK)
    return None


def _gone(sides: Sequence[Living]) -> bool:
    return any(side.ended() for side in sides)


def _until(seconds: float, turns: Turns) -> float:
    return min(turns.ends, time.monotonic() + seconds)


def _over(limit: str, turns: Turns) -> str:
    return OUT_OF_TIME if time.monotonic() > turns.ends else limit


def _wait(side: Living, number: int, end: float) -> bool:
    """Wait for the word of a run; False when it is gone or the time is over."""
    done = side.gate / f"done.{number}"
    while not done.exists():
        if side.ended() or time.monotonic() > end:
            return False
        time.sleep(_TICK)
    return True


def _say(side: Living, number: int, word: str) -> None:
    path = side.gate / f"go.{number}"
    path.with_suffix(".new").write_text(word)
    path.with_suffix(".new").rename(path)


def room(run: Run) -> int:
    """How many such programs may live at once, two that take turns and some that wait: one
    rank, memory for all, and a loader that is read by the loop itself: another thread would wait
    for its turn while the loop goes on."""
    record, loader = run.record, run.training
    if record is None or record.world > 1 or len(run.records) > 1:
        return 1
    if loader is None or loader.background:
        return 1
    return next((count for count in _ROOMS if _fits(run, record, count)), 1)


def _fits(run: Run, record: Record, programs: int) -> bool:
    if programs * run.memory.peak_total > _SHARE * _available():
        return False
    memory = record.cuda_memory
    counted = not record.on_device or bool(memory)
    return counted and all(device.fits(programs, _SHARE) for device in memory)


def _available() -> int:
    """Bytes of memory that could be given out."""
    return int(psutil.virtual_memory().available)


def slices(run: Run) -> list[float]:
    """Seconds a step of each turn."""
    window = None if run.record is None else run.record.window
    return [] if window is None else [seconds / steps for _, steps, seconds in window.slices]
