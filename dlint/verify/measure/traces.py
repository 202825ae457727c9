"""What a device did, out of the trace that torch's profiler writes."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlint.verify.measure.record import Record

Interval = tuple[float, float]

_COPY = re.compile(r"Memcpy HtoD \((\w[\w ]*) -> ")
"""What kineto calls a copy to the device; it names the kind of memory that is copied from."""
_COLLECTIVE = re.compile(r"(?:void )?(?:nccl|rccl|mscclKernel|onecclKernel)", re.IGNORECASE)
"""How the names of kernels begin that exchange something between ranks."""
_GRAPH = "cudaGraphLaunch"
_MICRO = 1e-6


class DeviceTime(NamedTuple):
    """What one device of a process did in a window."""

    seconds: float
    """How long the window was."""
    busy: float
    """Seconds in which some kernel computed."""
    copies: dict[str, int]
    """Copies to the device, by the memory that they read: `pageable`, `pinned`."""
    copied: int
    """Bytes that they copied."""
    copying: float
    """Seconds in which one ran."""
    beside: float
    """Seconds in which one ran beside a kernel that computes."""
    number: int = 0
    communicating: float = 0.0
    """Seconds in which ranks exchanged something and nothing was computed: a collective kernel
    runs, too, while it only waits for a slower rank."""
    seen: bool = True
    """Whether its kernels were recorded: those of a graph that was captured before may not be."""

    @property
    def idle(self) -> float | None:
        """The share of the window in which nothing was computed or exchanged; None where kernels
        were not recorded."""
        if not self.seen or self.seconds <= 0:
            return None
        return max(0.0, 1 - (self.busy + self.communicating) / self.seconds)

    @property
    def overlap(self) -> float | None:
        """The share of the time of copies that lay beside kernels; None without copies, or where
        kernels were not recorded."""
        return self.beside / self.copying if self.copying > 0 and self.seen else None

    def told(self) -> dict[str, Any]:
        """What is reported of it."""
        return {**self._asdict(), "idle": self.idle, "overlap": self.overlap}


def read(path: Path, seconds: float) -> list[DeviceTime]:
    """The trace in a file, of a window of so many seconds; nothing where no device was recorded."""
    try:
        document = json.loads(path.read_text("utf-8", "replace"))
    except (OSError, ValueError):
        return []
    return device_times(document.get("traceEvents", ()), seconds)


def read_all(out: Path, records: Iterable[Record]) -> dict[int, Sequence[DeviceTime]]:
    """What the devices did, by the process of each record that has a window and a trace."""
    windows = {r.pid: r.window.seconds for r in records if r.window is not None}
    found = {pid: read(out / f"trace.{pid}.json", seconds) for pid, seconds in windows.items()}
    return {pid: devices for pid, devices in found.items() if devices}


class _Seen:
    """The events of one device."""

    def __init__(self) -> None:
        self.computing: list[Interval] = []
        self.exchanging: list[Interval] = []
        self.copies: list[Interval] = []
        self.kinds: Counter[str] = Counter()
        self.copied = 0
        self.launches: set[Any] = set()
        """What the kernels were launched by."""

    def time(self, number: int, seconds: float, graphs: set[Any]) -> DeviceTime:
        """What they come to."""
        busy, copying = list(_union(self.computing)), list(_union(self.copies))
        exchanging = list(_union(self.exchanging))
        return DeviceTime(
            seconds,
            _length(busy),
            dict(self.kinds),
            self.copied,
            _length(copying),
            _common(busy, copying),
            number,
            _length(exchanging) - _common(busy, exchanging),
            bool(self.launches) and graphs <= self.launches,
        )


def device_times(events: Iterable[dict[str, Any]], seconds: float) -> list[DeviceTime]:
    """The same of the events of a trace, whose times are microseconds, by device."""
    seen: defaultdict[int, _Seen] = defaultdict(_Seen)
    graphs: set[Any] = set()
    for event in events:
        facts = event.get("args", {})
        if event.get("ph") != "X":
            continue
        if event.get("cat") in {"kernel", "gpu_memcpy"}:
            _note(event, facts, seen[int(facts.get("device", event.get("pid", 0)))])
        elif event.get("name", "").startswith(_GRAPH):
            graphs.add(facts.get("correlation"))
    launched = {launch for device in seen.values() for launch in device.launches}
    unseen = graphs - launched
    return [device.time(number, seconds, unseen) for number, device in sorted(seen.items())]


def _note(event: dict[str, Any], facts: dict[str, Any], device: _Seen) -> None:
    if event["cat"] == "kernel":
        collective = _COLLECTIVE.match(event.get("name", ""))
        kind = device.exchanging if collective else device.computing
        kind.append(_interval(event))
        device.launches.add(facts.get("correlation"))
    elif (source := _source(event)) is not None:
        device.copies.append(_interval(event))
        device.kinds[source] += 1
        device.copied += int(facts.get("bytes", 0))


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
