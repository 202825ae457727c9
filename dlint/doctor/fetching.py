"""What workers spend on a batch, and how many of them would feed the loop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dlint.verify.measure.examined import Examined, Fetch, Fetched, Span
from dlint.verify.measure.record import LoaderRecord, Record
from dlint.verify.run.runner import Run

READING, COLLATING, SENDING = "reading", "collating", "sending"
_TOLD = 0.02
"""The share of a sample's time under which a callable is not told apart."""


class Fetching(NamedTuple):
    """What was spent on the batches of the window."""

    workers: int
    """Of all ranks; 0 where the program fetches itself."""
    batches: int
    samples: float
    """Of a batch."""
    size: int
    """Bytes of a batch."""
    batch: float
    """Seconds a batch."""
    stages: Mapping[str, float]
    """Of these, by stage: `reading` is `__getitem__` without the callables that the dataset holds,
    which are named as they are; `collating`; and `sending`, in a thread beside the others."""
    processor: float
    """The share of that time on a processor."""
    delayed: float
    """The share of that time that is waited for a processor; 0 where that is not counted. The rest
    waits for storage, network, or whatever else."""
    busy: float
    """The share of the window in which a worker makes a batch."""
    slow: float
    """The share that the slowest tenth of the batches takes, of that time without `delayed`."""
    slowest: float
    """Seconds of the slowest, likewise."""
    read: float | None
    """Bytes that were read for a batch."""
    stored: float | None
    """Bytes of these that came from a disk, not from memory."""
    times: tuple[float, ...] = ()
    """Seconds of each batch in the order in which they were begun, without `delayed`."""

    @property
    def sample(self) -> float:
        """Seconds a sample."""
        return self.batch / max(1.0, self.samples)

    @property
    def computing(self) -> float:
        """The share of that time that computes, or would if there was a processor."""
        return min(1.0, self.processor + self.delayed)

    @property
    def busiest(self) -> str:
        """The stage that takes longest."""
        return max(self.stages, key=self.stages.__getitem__, default=READING)

    def needed(self, step: float) -> int:
        """How many workers feed a loop that takes a batch every so many seconds."""
        return max(1, math.ceil(self.batch / max(1e-9, step) - 0.05))


def fetching(run: Run, records: Sequence[Record]) -> Fetching | None:
    """What the batches of the training loaders of these ranks cost; None where none was seen."""
    parts = [part for record in records for part in _of_rank(run, record)]
    rows = [row for part in parts for row in part.rows]
    if not rows:
        return None
    count, seconds = len(rows), sum(row.done - row.begun for row in rows)
    loaders = [record.training for record in records if record.training is not None]
    workers = sum(loader.workers for loader in loaders)
    width = sum(part.seconds for part in parts) / len(parts)
    return Fetching(
        workers=workers,
        batches=count,
        samples=sum(row.samples for row in rows) / count,
        size=round(sum(row.size for row in rows) / count),
        batch=seconds / count,
        stages=_stages(parts, count, seconds),
        processor=min(1.0, sum(row.processor for row in rows) / max(1e-9, seconds)),
        delayed=min(1.0, sum(row.delayed for row in rows) / max(1e-9, seconds)),
        busy=min(1.0, seconds / max(1e-9, width * max(1, workers))),
        slow=_of_the_slowest(rows),
        slowest=max(map(_own, rows)),
        read=_counted(parts, "read"),
        stored=_counted(parts, "stored"),
        times=_times(rows),
    )


def _times(rows: Sequence[Fetch]) -> tuple[float, ...]:
    """Seconds of each batch on a worker that has a processor; batches of workers beside each other
    are begun in turns, much as they are asked for."""
    ordered = sorted(rows, key=lambda row: row.begun)
    return tuple(map(_own, ordered))


def _own(row: Fetch) -> float:
    """Seconds of a batch without what was waited for a processor. That is counted by another clock
    and may come out as more than all of it."""
    return max(0.0, row.done - row.begun - row.delayed)


def _of_the_slowest(rows: Sequence[Fetch]) -> float:
    """The share of the time of some batches that the slowest tenth of them took; what they waited
    for a processor is not theirs."""
    ordered = sorted(map(_own, rows))
    return sum(ordered[-max(1, len(ordered) // 10) :]) / (sum(ordered) or 1.0)


class _Part(NamedTuple):
    """What one process made in the window."""

    rows: Sequence[Fetch]
    all: Fetched
    sent: Sequence[float]
    seconds: float
    """Of the window."""


def _of_rank(run: Run, record: Record) -> Iterator[_Part]:
    loader, examined = record.training, record.doctor
    span = None if examined is None else examined.phases.get("window")
    if loader is None or examined is None or span is None or span.ended is None:
        return
    begun, ended = examined.installed + span.begun, examined.installed + span.ended
    for pid in loader.worker_pids or (record.pid,):
        if (found := run.fetched.get(pid)) is not None:
            own = [row for row in found.rows if begun <= row.begun and row.done <= ended]
            own = [row for row in own if row.loader in (None, record.train)]
            sent = [seconds for when, seconds in found.sent if begun <= when <= ended]
            yield _Part(own, found, sent, ended - begun)


def _stages(parts: Sequence[_Part], count: int, seconds: float) -> dict[str, float]:
    """Seconds a batch by stage. What callables take of the time of all batches that a process made
    they take of those of the window."""
    collating = sum(row.collating for part in parts for row in part.rows) / count
    callables: dict[str, float] = {}
    for part in parts:
        whole = sum(row.done - row.begun for row in part.all.rows) or 1.0
        own = sum(row.done - row.begun for row in part.rows)
        for name, (spent, _) in part.all.callables.items():
            callables[name] = callables.get(name, 0.0) + spent * own / whole / count
    told = {n: s for n, s in callables.items() if s > _TOLD * seconds / count}
    sent = [one for part in parts for one in part.sent]
    found = {READING: max(0.0, seconds / count - collating - sum(told.values())), **told}
    found[COLLATING] = collating
    if sent:
        found[SENDING] = sum(sent) / len(sent)
    return found


def _counted(parts: Sequence[_Part], name: str) -> float | None:
    """Bytes a batch that the kernel counted from the first line of a process to its last."""
    total = batches = 0
    for part in parts:
        counts = [line[name] for line in part.all.process if line.get(name) is not None]
        if len(counts) > 1:
            total += counts[-1] - counts[0]
            batches += max(0, len(part.all.rows) - 1)
    return total / batches if batches else None


class Queue(NamedTuple):
    """How full the queue of batches was."""

    most: int
    """What it can hold."""
    mean: float
    empty: float
    """The share of the batches for which nothing was ready."""
    depths: tuple[int, ...]
    """By batch."""


def queue(loader: LoaderRecord, examined: Examined) -> Queue | None:
    """The queue in the window; None where there is none to look into."""
    span: Span | None = examined.phases.get("window")
    if span is None or span.last is None:
        return None
    first = max(0, span.first + 1 - examined.first_depth)
    own = examined.depths[first : max(first, span.last - examined.first_depth + 1)]
    if not own or own[0] < 0:
        return None
    empty = sum(depth == 0 for depth in own) / len(own)
    return Queue(loader.queue, sum(own) / len(own), empty, tuple(own))
