"""A stretch of steps under torch's profiler: what the program asked of torch, and when."""

from __future__ import annotations

import time
from typing import Any

from .. import accelerator
from ..state import State, clock, synchronise

_MARK = "dlint: the thread of the program"
_STEP = "Optimizer.step#"
_MOST = 200_000
"""Rows that are written."""

Row = tuple[int, int, float, float, int]
"""The numbers of a name and of a thread, when it began, its seconds, and 1 on a device."""


class Stretch:
    """The outermost operations of each thread, and what devices ran."""

    def __init__(self) -> None:
        self._profiler: Any = None
        self._apart = 0.0
        """How far the clock of the profiler lies beyond the probe's."""
        self._names: dict[str, int] = {}
        self._rows: list[Row] = []
        self._main: int | None = None
        self._error: str | None = None

    def begin(self, state: State) -> None:
        """Record from here; a profiler that fails records nothing."""
        try:
            from torch.autograd import profiler

            device = accelerator.in_use()
            recorded = device is not None and device.activity is not None
            kind: dict[str, Any] = {"use_device": device.kind} if device and recorded else {}
            found: Any = profiler.profile(use_kineto=True, **kind)
            found._prepare_trace()
            found._start_trace()
            synchronise()
            with profiler.record_function(_MARK):
                self._apart = time.time() - clock()
            self._profiler = found
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"[:200]

    def end(self, state: State) -> None:
        """Keep what was recorded."""
        profiler, self._profiler = self._profiler, None
        if profiler is None:
            return
        try:
            synchronise()
            profiler.__exit__(None, None, None)
            self._read(profiler.kineto_results.events())
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"[:200]

    def _read(self, events: Any) -> None:
        rows = []
        for event in events:
            name = event.name()
            if name == _MARK:
                self._main = event.start_thread_id()
            elif not (_is_annotation(event) and not name.startswith(_STEP)):
                rows.append((event.start_thread_id(), *_times(event), name, _on_device(event)))
        rows.sort(key=lambda row: (row[4], row[0], row[1], -row[2]))
        self._keep(rows[:_MOST])

    def _keep(self, rows: list[tuple[int, float, float, str, int]]) -> None:
        threads: dict[int, int] = {} if self._main is None else {self._main: 0}
        thread, end = None, 0.0
        for owner, start, seconds, name, device in rows:
            if not device:
                if owner == thread and start < end:
                    continue
                thread, end = owner, start + seconds
            number = self._names.setdefault(name, len(self._names))
            place = threads.setdefault(owner, len(threads) + (self._main is None))
            self._rows.append((number, place, start, seconds, device))

    def told(self, installed: float) -> dict[str, Any]:
        """What the record has of it; times as those of batches are."""
        ahead = self._apart + installed
        rows = [(n, t, round(s - ahead, 7), round(d, 7), g) for n, t, s, d, g in self._rows]
        return {"names": list(self._names), "rows": rows, "error": self._error}


def _is_annotation(event: Any) -> bool:
    asked = getattr(event, "is_user_annotation", None)
    return bool(asked()) if asked is not None else event.name().startswith("enumerate(DataLoader)")


def _times(event: Any) -> tuple[float, float]:
    """Start and length in seconds; older versions count microseconds."""
    if hasattr(event, "start_ns"):
        return event.start_ns() / 1e9, event.duration_ns() / 1e9
    return event.start_us() / 1e6, event.duration_us() / 1e6


def _on_device(event: Any) -> int:
    return int("CPU" not in str(event.device_type()))
