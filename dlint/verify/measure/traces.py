"""What a device did, out of the trace that torch's profiler writes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Interval = tuple[float, float]

_COPY = re.compile(r"Memcpy HtoD \((\w[\w ]*) -> ")
"""What kineto calls a copy to the device; it names the kind of memory that is copied from."""
_MICRO = 1e-6


class DeviceTime(NamedTuple):
    """What the device of one process did in a window."""

    seconds: float
    """How long the window was."""
    busy: float
    """Seconds in which some kernel ran."""
    copies: dict[str, int]
    """Copies to the device, by the memory that they read: `pageable`, `pinned`."""
    copied: int
    """Bytes that they copied."""
    copying: float
    """Seconds in which one ran."""
    beside: float
    """Seconds in which one ran beside a kernel."""

    @property
    def idle(self) -> float:
        """The share of the window in which no kernel ran."""
        return max(0.0, 1 - self.busy / self.seconds) if self.seconds > 0 else 0.0

    @property
    def overlap(self) -> float | None:
        """The share of the time of copies that lay beside kernels; None without copies."""
        return self.beside / self.copying if self.copying > 0 else None


def read(path: Path, seconds: float) -> DeviceTime | None:
    """The trace in a file, of a window of so many seconds; None where no device was recorded."""
    try:
        document = json.loads(path.read_text("utf-8", "replace"))
    except (OSError, ValueError):
        return None
    return device_time(document.get("traceEvents", ()), seconds)


def device_time(events: Iterable[dict[str, Any]], seconds: float) -> DeviceTime | None:
    """The same of the events of a trace, whose times are microseconds."""
    kernels: list[Interval] = []
    copies: list[Interval] = []
    kinds: Counter[str] = Counter()
    copied = 0
    for event in events:
        if event.get("ph") != "X":
            continue
        if event.get("cat") == "kernel":
            kernels.append(_interval(event))
        elif event.get("cat") == "gpu_memcpy" and (kind := _source(event)) is not None:
            copies.append(_interval(event))
            kinds[kind] += 1
            copied += int(event.get("args", {}).get("bytes", 0))
    if not kernels and not copies:
        return None
    busy, copying = list(_union(kernels)), list(_union(copies))
    return DeviceTime(
        seconds, _length(busy), dict(kinds), copied, _length(copying), _common(busy, copying)
    )


def _interval(event: dict[str, Any]) -> Interval:
    start = float(event["ts"]) * _MICRO
    return start, start + float(event.get("dur", 0)) * _MICRO


def _source(event: dict[str, Any]) -> str | None:
    """The memory that a copy to the device reads; None for another copy."""
    found = _COPY.match(event.get("name", ""))
    if found is not None:
        return found[1].lower()
    facts = event.get("args", {})
    return str(facts.get("src kind", "unknown")) if facts.get("copy kind") == "HtoD" else None


def _union(intervals: list[Interval]) -> Iterator[Interval]:
    """The same moments without overlaps, in order."""
    kept: Interval | None = None
    for start, end in sorted(intervals):
        if kept is None or start > kept[1]:
            if kept is not None:
                yield kept
            kept = start, end
        else:
            kept = kept[0], max(kept[1], end)
    if kept is not None:
        yield kept


def _length(intervals: Iterable[Interval]) -> float:
    return sum(end - start for start, end in intervals)


def _common(left: list[Interval], right: list[Interval]) -> float:
    """Seconds that lie in both; each is in order and without overlaps."""
    total, i, j = 0.0, 0, 0
    while i < len(left) and j < len(right):
        total += max(0.0, min(left[i][1], right[j][1]) - max(left[i][0], right[j][0]))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return total
