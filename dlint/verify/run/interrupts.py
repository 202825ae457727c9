"""Requests to end: the first one is an exception, and what cleans up is not disturbed by it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Ctrl-C and a request to end become one KeyboardInterrupt; later ones are not on_progress."""

    def __init__(self) -> None:
        self._held = 0
        self.came = False
        """Whether one was on_progress since the listening began."""
        self._raised = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen meanwhile. Only the main thread can."""
        self.came = self._raised = False
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = [signal.signal(number, self._interrupt) for number in _NUMBERS]
        try:
            yield
        finally:
            for number, handler in zip(_NUMBERS, before, strict=True):
                signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is in here is not disturbed; the interrupt comes behind it."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self.came and not self._held:
            self._raise()

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """What is in here may be interrupted, though what is around it may not; and it is not
        begun behind an interrupt, should that have been lost."""
        if self.came:
            raise KeyboardInterrupt
        held, self._held = self._held, 0
        try:
            yield
        finally:
            self._held = held

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if not self._held:
            self._raise()

    def _raise(self) -> None:
        if not self._raised:
            self._raised = True
            raise KeyboardInterrupt


INTERRUPTS = Interrupts()
"""Those of this process."""
