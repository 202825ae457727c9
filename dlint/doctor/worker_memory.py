"""What a worker takes of the memory, and by how much it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.verify.measure.record import Record
from dlint.verify.run.memory import Size
from dlint.verify.run.runner import Run

_FEWEST = 8
"""How often a worker must have been looked at for its growth to be told."""
_EPOCHS = 3
"""And in how many epochs, for that of an epoch; the first one, in which it is made, not counted."""


class WorkerMemory(NamedTuple):
    """Bytes of the largest worker; None where too little was seen of any."""

    private: int | None = None
    """The most that nothing else shares: what one worker more would take."""
    proportional: int | None = None
    """The most with its part of what is shared (PSS)."""
    growth: int | None = None
    """By how much it grew while it was looked at."""
    growth_epoch: int | None = None
    """By how much in an epoch; None where too few were seen."""


def worker_memory(run: Run, records: Sequence[Record]) -> WorkerMemory:
    """The memory of the workers of the training loaders."""
    found = [size for record in records for pid in _pids(record) for size in _sizes(run, pid)]
    if not found:
        return WorkerMemory()
    growths = [_growth(run, record) for record in records]
    known = [growth for growth in growths if growth is not None]
    growth, epoch = max(known, default=(None, None), key=lambda pair: pair[0] or 0)
    private, proportional = (max(column) for column in (*zip(*found, strict=True),)[1:])
    return WorkerMemory(private, proportional, growth, epoch)


def _pids(record: Record) -> Sequence[int]:
    return () if record.training is None else record.training.worker_pids


def _sizes(run: Run, pid: int) -> Sequence[Size]:
    return run.memory.sizes.get(pid, ())


def _growth(run: Run, record: Record) -> tuple[int, int | None] | None:
    """By how much the workers of a rank grew, and in an epoch, where several were seen."""
    end = _end(record)
    sizes = [[size for size in _sizes(run, pid) if size.when < end] for pid in _pids(record)]
    levels = dict(_levels(record, [size for own in sizes for size in own]))
    if len(levels) >= _EPOCHS and sum(map(len, sizes)) >= _FEWEST:
        first, last = min(levels), max(levels)
        grown = max(0, levels[last] - levels[first])
        return grown, grown // (last - first)
    grown_by = [by for own in sizes if (by := grown_of([s.proportional for s in own])) is not None]
    return (max(grown_by), None) if grown_by else None


def _end(record: Record) -> float:
    """When workers came to rest, in seconds since the start of the run: batches are replayed."""
    phases = {} if record.doctor is None else record.doctor.phases
    rests = phases.get("settle")
    return float("inf") if rests is None else record.import_seconds + rests.begun


def _levels(record: Record, sizes: Sequence[Size]) -> Iterator[tuple[int, int]]:
    """By number of an epoch but the first, the most that a worker took in it."""
    loader = record.training
    epochs = () if loader is None else loader.epochs[1:]
    starts = [epoch.start + record.import_seconds for epoch in epochs]
    ends = [*starts[1:], _end(record)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=False)):
        own = [size.proportional for size in sizes if start <= size.when < end]
        if own:
            yield number, max(own)


def grown_of(sizes: Sequence[int]) -> int | None:
    """By how much a process grew, between the means of the second and the last third of the times
    that it was looked at; None where these are too few."""
    third = len(sizes) // 3
    if len(sizes) < _FEWEST:
        return None
    middle, last = sizes[third : 2 * third], sizes[-third:]
    return max(0, sum(last) // len(last) - sum(middle) // len(middle))
