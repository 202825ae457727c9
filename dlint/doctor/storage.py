"""What is read of the storage, how fast, and whether it stays in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import psutil

from dlint.doctor.fetching import Fetching
from dlint.verify.measure.examined import Read
from dlint.verify.measure.record import Record
from dlint.verify.run.runner import Run

_LEAST = 2**16
"""Bytes under which a stretch of reading is none: what queues between processes carry counts,
too."""
_WARM, _COLD = 0.01, 0.5
"""The share of what is read that comes from a disk: below the first it comes from memory, from the
second on from the disk."""


class Storage(NamedTuple):
    """Of all ranks together."""

    epoch_bytes: int | None
    """What an epoch reads; None where it is not known."""
    cache: int
    """Bytes that are left for the page cache beside the program."""
    cold: float | None
    """Bytes a second that one worker reads, with all that it does to them, where they come from a
    disk; None where none did."""
    warm: float | None
    """The same where they come from memory."""


def storage(
    run: Run, records: Sequence[Record], found: Fetching | None, memory_limit: int
) -> Storage:
    """What a run read."""
    reads = [read for fetched in run.fetched.values() for read in fetched.reads]
    known = [read for read in reads if max(read.read, read.stored) >= _LEAST and read.seconds > 0]
    free = min(int(psutil.virtual_memory().available), memory_limit)
    return Storage(
        _of_an_epoch(records, found),
        max(0, free - run.memory.peak_total),
        _rate(read for read in known if read.stored >= _COLD * read.read),
        _rate(read for read in known if read.stored < _WARM * read.read),
    )


def _of_an_epoch(records: Sequence[Record], found: Fetching | None) -> int | None:
    lengths = [record.training.epoch_length for record in records if record.training is not None]
    read = 0.0 if found is None else max(found.read or 0.0, found.stored or 0.0)
    batches = sum(length for length in lengths if length is not None)
    return round(batches * read) if read >= _LEAST and batches and None not in lengths else None


def _rate(reads: Iterable[Read]) -> float | None:
    """What is mapped into memory is not asked for, and counts where it comes from a disk."""
    known = list(reads)
    seconds = sum(read.seconds for read in known)
    return sum(max(read.read, read.stored) for read in known) / seconds if known else None
