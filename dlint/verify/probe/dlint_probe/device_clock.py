"""When the device came to each batch, without waiting for it."""

from __future__ import annotations

from typing import Any

from . import accelerator
from .state import clock, synchronise


class DeviceClock:
    """Marks in the stream of the device. What a program gives it to do is done later: a batch that
    is asked for now may be reached by the device much later."""

    def __init__(self) -> None:
        self._marks: list[Any] = []
        self._first: Any = None
        self._began = 0.0

    def mark(self) -> None:
        """A batch is asked for; nothing is noted before there is a device."""
        device = accelerator.in_use()
        event = None if device is None else device.event
        if event is None:
            self._marks.append(None)
            return
        if self._first is None:
            synchronise()
            self._first, self._began = _recorded(event), clock()
        self._marks.append(_recorded(event))

    def forget(self) -> None:
        """There was no further batch."""
        self._marks.pop()

    def moments(self, asked: list[float]) -> list[float]:
        """When the device came to each of the batches that were asked for at these moments."""
        if self._first is None:
            return asked
        synchronise()
        found = [
            moment if mark is None else self._began + self._first.elapsed_time(mark) / 1000
            for moment, mark in zip(asked, self._marks)  # noqa: B905 (as old as Python 3.9)
        ]
        return found + asked[len(found) :]


def _recorded(kind: Any) -> Any:
    event = kind(enable_timing=True)
    event.record()
    return event
