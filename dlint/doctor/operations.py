"""What a program does between two batches, by what torch's profiler saw of some steps."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dlint.verify.measure.examined import Profile

COMPUTE, COPIES, WAITING_FOR_DEVICE, HOST = "compute", "copies", "synchronisation", "host"
WORK = (HOST, COPIES, COMPUTE, WAITING_FOR_DEVICE)
"""What a step consists of, behind the wait for its batch."""

_COPIES = frozenset(
    {"aten::to", "aten::_to_copy", "aten::copy_", "aten::clone", "aten::contiguous"}
    | {"aten::pin_memory", "aten::_pin_memory", "aten::cuda", "aten::cpu"}
)
_SYNCHRONISES = re.compile(
    r"aten::(?:item|_local_scalar_dense|is_nonzero|equal)$|cuda\w*Synchronize|hip\w*Synchronize"
    r"|(?:gloo|nccl|mpi|ucc|xccl):|c10d::"
)
"""Where the program waits for its device, or for other ranks."""
_DEVICE_COPY = re.compile(r"Memcpy")

Interval = tuple[float, float]


class Operation(NamedTuple):
    """Something that took time."""

    begun: float
    ended: float
    stage: str


class Work(NamedTuple):
    """What the profiler saw."""

    steps: tuple[dict[str, float], ...]
    """Of each step, seconds by stage; they add up to all of it behind the wait."""
    device: float | None
    """The share of the whole stretch in which a device computed; None without one."""


def work(profile: Profile, steps: Sequence[Interval], stretch: Interval) -> Work:
    """Divide some steps, each from where its batch was given to where the next one was asked for.
    Times are in seconds since the probe was installed."""
    on_device = any(row[4] for row in profile.rows)
    found = sorted(_operations(profile, on_device))
    begins = [operation.begun for operation in found]
    longest = max((o.ended - o.begun for o in found), default=0.0)
    divided = []
    for begun, ended in steps:
        near = found[bisect_left(begins, begun - longest) : bisect_left(begins, ended)]
        divided.append(_divided((begun, ended), near))
    return Work(tuple(divided), _busy(profile, stretch) if on_device else None)


def _operations(profile: Profile, on_device: bool) -> Iterable[Operation]:
    """With a device, what the host asks of it is launched there, and computed elsewhere."""
    stages = [_stage(name, on_device) for name in profile.names]
    for number, _, begun, seconds, device in profile.rows:
        stage = stages[number]
        if device:
            stage = COPIES if _DEVICE_COPY.match(profile.names[number]) else COMPUTE
        yield Operation(begun, begun + seconds, stage)


def _stage(name: str, on_device: bool) -> str:
    if name in _COPIES:
        return COPIES
    if _SYNCHRONISES.match(name):
        return WAITING_FOR_DEVICE
    return HOST if on_device else COMPUTE


_FIRST = (COMPUTE, COPIES, WAITING_FOR_DEVICE)
"""Where several go on at once, the first of these counts."""


def _divided(step: Interval, operations: Iterable[Operation]) -> dict[str, float]:
    """Seconds of a step by stage; what is none of torch's is work of the host."""
    edges: list[tuple[float, int, str]] = []
    for begun, ended, stage in operations:
        begun, ended = max(begun, step[0]), min(ended, step[1])
        if begun < ended and stage != HOST:
            edges += [(begun, 1, stage), (ended, -1, stage)]
    found = dict.fromkeys(WORK, 0.0)
    open_, last = dict.fromkeys(_FIRST, 0), step[0]
    for moment, change, stage in sorted(edges):
        going = next((name for name in _FIRST if open_[name]), HOST)
        found[going] += moment - last
        open_[stage] += change
        last = moment
    found[HOST] += step[1] - last
    return found


def _busy(profile: Profile, stretch: Interval) -> float:
    """The share of a stretch in which some kernel ran."""
    copies = {n for n, name in enumerate(profile.names) if _DEVICE_COPY.match(name)}
    kernels = sorted(
        (max(begun, stretch[0]), min(begun + seconds, stretch[1]))
        for number, _, begun, seconds, device in profile.rows
        if device and number not in copies
    )
    total, end = 0.0, stretch[0]
    for begun, ended in kernels:
        total += max(0.0, ended - max(begun, end))
        end = max(end, ended)
    return total / max(1e-9, stretch[1] - stretch[0])
