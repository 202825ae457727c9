"""What the machine gives a program, beside what the program asks of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from dlint.doctor.fetching import Fetching
from dlint.doctor.storage import storage
from dlint.doctor.worker_memory import worker_memory
from dlint.verify.measure.record import DeviceMemory, LoaderRecord, Record
from dlint.verify.run.runner import Run

_SHM = Path("/dev/shm")
_MIB = 2**20
_FULL, _DELAYED, _GROWS = 0.8, 0.2, 0.2
"""Shares of what there is from which on it is told: of space, of the time of workers that wait for
a processor, and by which their memory grows."""
_LEAST_GROWTH = 32 * _MIB


class Machine(NamedTuple):
    """The limits of this machine, or of its container, and what the run took of them."""

    cpus: float
    """How many processors this program may keep busy."""
    affinity: int
    quota: float | None
    """What the control group allows; None without a limit."""
    ranks: int
    workers: int
    """Of all ranks."""
    threads: int
    """Threads that torch computes with in each rank."""
    omp: str | None
    """What `OMP_NUM_THREADS` says."""
    worker_threads: int
    """And in each worker, or OpenCV, whichever has more."""
    opencv: int | None
    """Threads of OpenCV in a worker; None where it is not loaded there."""
    shm_free: int | None
    """Bytes of shared memory that are free."""
    shm_needed: int
    """Bytes of batches that may lie in it at once."""
    open_files: int | None
    most_open_files: int | None
    worker_memory: int | None
    """Bytes of the largest worker that nothing else shares; None where none was seen."""
    worker_pss: int | None
    """The same with its part of what is shared."""
    growth: int | None
    """By how many bytes it grew while it was looked at; None where too little was seen of it."""
    growth_epoch: int | None
    """By how many in an epoch; None where too few were seen."""
    memory: int
    """The most bytes of all processes together."""
    memory_limit: int
    epoch_bytes: int | None
    """What an epoch reads, of all ranks; None where that is not known."""
    cache: int
    """Bytes that are left for the page cache beside the program."""
    cold: float | None
    """Bytes a second that a worker reads, with all that it does to them, where they come from a
    disk; None where none did."""
    warm: float | None
    """The same where they come from memory."""
    device_memory: int | None
    """The most bytes that torch held on the fullest device; None where none was in use."""
    device_used: int | None
    """What was taken there when the run ended, of whoever."""
    device_total: int | None
    pinned: int | None
    """The most bytes that torch had pinned in a rank; None where it does not say."""


def machine(run: Run, records: Sequence[Record], found: Fetching | None) -> Machine:
    """What a run asked of the machine that it ran on."""
    affinity, quota = _affinity(), cpu_quota()
    lines = [fetched.process[-1] for fetched in run.fetched.values() if fetched.process]
    opencv = max((line["opencv"] for line in lines if line.get("opencv")), default=None)
    processes = [record.doctor.process for record in records if record.doctor is not None]
    files = [process.open_files for process in processes if process.open_files is not None]
    limits = [p.most_open_files for p in processes if p.most_open_files is not None]
    worker, memory_limit = worker_memory(run, records), memory_limit_of()
    storing, device = storage(run, records, found, memory_limit), _fullest(records)
    pinned = [process.pinned for process in processes if process.pinned is not None]
    return Machine(
        cpus=affinity if quota is None else min(affinity, quota),
        affinity=affinity,
        quota=quota,
        ranks=max((record.world for record in records), default=1),
        workers=0 if found is None else found.workers,
        threads=max((record.threads for record in records), default=1),
        omp=next((process.omp for process in processes if process.omp), None),
        worker_threads=max([line.get("threads") or 1 for line in lines] + [opencv or 1]),
        opencv=opencv,
        shm_free=_free_shared(),
        shm_needed=_in_flight(records, found),
        open_files=max(files, default=None),
        most_open_files=min(limits, default=None),
        worker_memory=worker.private,
        worker_pss=worker.proportional,
        growth=worker.growth,
        growth_epoch=worker.growth_epoch,
        memory=run.memory.peak_total,
        memory_limit=memory_limit,
        epoch_bytes=storing.epoch_bytes,
        cache=storing.cache,
        cold=storing.cold,
        warm=storing.warm,
        device_memory=None if device is None else device.peak,
        device_used=None if device is None else device.used,
        device_total=None if device is None else device.total,
        pinned=max(pinned, default=None),
    )


def _fullest(records: Sequence[Record]) -> DeviceMemory | None:
    known = [device for record in records for device in record.cuda_memory if device.total]
    return max(known, default=None, key=lambda device: device.used / device.total)


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Processors by the control group of this container: of version 2, or of version 1."""
    with suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError):
        quota = (root / "cpu/cpu.cfs_quota_us").read_text()
        period = (root / "cpu/cpu.cfs_period_us").read_text()
        return int(quota) / int(period) if int(quota) > 0 else None
    return None


def memory_limit_of(root: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that the container may take, at most those of the machine."""
    most = int(psutil.virtual_memory().total)
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            return min(most, int((root / name).read_text()))
    return most


def _free_shared() -> int | None:
    with suppress(OSError):
        return shutil.disk_usage(_SHM).free
    return None


def _in_flight(records: Sequence[Record], found: Fetching | None) -> int:
    loaders = [record.training for record in records if record.training is not None]
    return 0 if found is None else sum(map(_waiting, loaders)) * found.size


def _waiting(loader: LoaderRecord) -> int:
    """How many batches may wait: no more than an epoch has."""
    return loader.queue if loader.length is None else min(loader.queue, loader.length)


def tight(found: Machine, fetching: Fetching | None) -> Iterator[str]:
    """What of the machine is too little for this program."""
    yield from _processors(found, fetching)
    if found.shm_free is not None and found.shm_needed > _FULL * found.shm_free:
        yield (
            f"up to {found.shm_needed / _MIB:.0f} MiB of batches lie in /dev/shm, which has "
            f"{found.shm_free / _MIB:.0f} MiB left: workers may end by a bus error; give the "
            "container more (`--shm-size`), or let fewer batches wait"
        )
    files, most = found.open_files, found.most_open_files
    if files is not None and most is not None and files > _FULL * most:
        yield (
            f"{files} of {most} files are open (`ulimit -n`): batches that are kept, or in the "
            "queue, take some each"
        )
    yield from _growth(found)
    if found.epoch_bytes is not None and found.epoch_bytes > found.cache:
        yield (
            f"an epoch reads {found.epoch_bytes / _MIB:.0f} MiB, and {found.cache / _MIB:.0f} MiB "
            "are left for the page cache: much of it comes from storage in each epoch"
        )
    if found.memory > _FULL * found.memory_limit:
        yield (
            f"all processes together take {found.memory / _MIB:.0f} of "
            f"{found.memory_limit / _MIB:.0f} MiB"
        )


def _growth(found: Machine) -> Iterator[str]:
    size, growth, epoch = found.worker_pss or 0, found.growth or 0, found.growth_epoch
    if growth > max(_LEAST_GROWTH, _GROWS * size):
        each = "" if epoch is None else f", {epoch / _MIB:.0f} MiB an epoch,"
        yield (
            f"a worker grew by {growth / _MIB:.0f} MiB{each} while it was looked at, to "
            f"{size / _MIB:.0f} MiB"
        )


def _processors(found: Machine, fetching: Fetching | None) -> Iterator[str]:
    cpus = f"{found.cpus:g} CPU{'s' * (found.cpus != 1)}"
    if fetching is not None and fetching.delayed > _DELAYED:
        yield f"making batches waits {fetching.delayed:.0%} of its time for one of {cpus}"
    if found.opencv is not None and found.opencv > 1 and found.workers * found.opencv > found.cpus:
        yield (
            f"OpenCV has {found.opencv} threads in each worker ({found.workers}), on {cpus}: "
            "`cv2.setNumThreads(0)` in the workers"
        )
    elif found.ranks > 1 and found.ranks * found.threads > found.cpus:
        yield (
            f"{found.ranks} ranks compute with {found.threads} threads each, on {cpus}: "
            "`OMP_NUM_THREADS` sets fewer"
        )
