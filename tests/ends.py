"""What must come to an end, and what must grow in proportion: told without a clock of one machine.

A test of speed fails on a machine that is busy. What must not take for ever gets a limit that no
machine reaches while the program is right, and what must grow in proportion has its calls counted.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

LIMIT = 120.0
"""Seconds of CPU: what is held here takes less than one of them on a machine of 2020."""


class NoEndError(AssertionError):
    """It went on for longer than any machine takes for it."""


@contextmanager
def comes_to_an_end(seconds: float = LIMIT) -> Iterator[None]:
    """Ends the block with `NoEndError` once this process has spent so many seconds of CPU in it."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise NoEndError(f"no end after {seconds:g} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def calls_in(work: Callable[[], object]) -> int:
    """How many functions, written in Python or in C, are called while it works."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
