"""What the probe wrote of a run that `dlint doctor` examines, read back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from dlint.verify.plan.secrecy import Secrets


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Span(_Part):
    """A part of the run; times in seconds since the probe was installed."""

    first: int
    """The number of batches that were taken before it."""
    begun: float
    last: int | None = None
    ended: float | None = None
    restoring: float = 0.0
    """Seconds in which kept batches were made what they were."""


class Profile(_Part):
    """What the profiler of torch recorded: the outermost operations of each thread."""

    names: tuple[str, ...] = ()
    rows: tuple[tuple[int, int, float, float, int], ...] = ()
    """The number of a name; of a thread, 0 for the program's; when it began, in seconds since the
    probe was installed; its seconds; and 1 where a device did it."""
    error: str | None = None


class Start(_Part):
    """The process when workers were about to start."""

    method: str | None = None
    threads: tuple[str, ...] = ()
    """Names of threads that the program had started."""
    cuda: bool = False
    """Whether it had a device started, of whichever kind."""
    opencv: int | None = None
    """Threads that OpenCV works with; None where it was not loaded."""


class Process(_Part):
    """The process while it trains."""

    threads: int | None = None
    omp: str | None = None
    open_files: int | None = None
    most_open_files: int | None = None
    sharing: str | None = None
    processor_seconds: float = 0.0
    pinned: int | None = None
    """The most bytes that torch had pinned; None where that is not known."""


class LoaderFacts(_Part):
    """What is told of a loader beside its record; None where that is not known."""

    samples: int | None = None
    """What its sampler says that an epoch has, of one rank."""
    dataset_length: int | None = None
    iterable: bool | None = None


class Examined(_Part):
    """What one process was asked beside the times of its batches."""

    installed: float
    """When the probe was installed, by the clock that the workers have, too."""
    phases: Mapping[str, Span] = {}
    depths: tuple[int, ...] = ()
    """By batch of the training loader, how many were ready; -1 where that is not known."""
    first_depth: int = 0
    """The number of the batch that the first of these is of."""
    replayed: int = 0
    """How many batches were kept to be given again."""
    unkept: str | None = None
    """Why none could be kept."""
    profile: Profile = Profile()
    starts: tuple[Start, ...] = ()
    process: Process = Process()
    loaders: tuple[LoaderFacts, ...] = ()


class Fetch(NamedTuple):
    """A batch that was made."""

    begun: float
    done: float
    """By the clock that all processes have."""
    processor: float
    """Seconds on a processor, of `done - begun`."""
    delayed: float
    """Seconds of these that were waited for one."""
    collating: float
    samples: int
    size: int
    """Bytes."""
    loader: int | None
    """The number of its loader, where the program fetches itself."""


class Read(NamedTuple):
    """What a process read between two lines that it wrote."""

    seconds: float
    """Of making batches, without collating and without waiting for a processor."""
    read: int
    """Bytes that it asked for."""
    stored: int
    """Bytes that came from a disk for it."""


class Fetched(NamedTuple):
    """What one process fetched."""

    rows: tuple[Fetch, ...]
    sent: tuple[tuple[float, float], ...]
    """By batch when it was sent, and the seconds that took."""
    callables: Mapping[str, tuple[float, int]]
    """Seconds in what the dataset holds and calls, and how often it was."""
    met: tuple[Mapping[str, Any], ...]
    """What the samples were like; of each loader, where the program fetches itself."""
    process: tuple[Mapping[str, Any], ...]
    """What the kernel counted, each time that something was written."""
    reads: tuple[Read, ...] = ()


def read_fetched(folder: Path, secrets: Secrets) -> dict[int, Fetched]:
    """By process, what was fetched in a run; `secrets` are masked in what that repeats."""
    paths = sorted(folder.glob("fetch.*"))
    return {int(path.suffix[1:]): _fetched(path, secrets) for path in paths}


def _fetched(path: Path, secrets: Secrets) -> Fetched:
    texts = [text for text in path.read_text("utf-8").splitlines() if text[-1:] == "}"]
    lines = [json.loads(text, object_hook=secrets.fields) for text in texts]
    last = lines[-1] if lines else {"transforms": {}, "met": ()}
    return Fetched(
        rows=tuple(Fetch(*row) for line in lines for row in line["rows"]),
        sent=tuple((when, seconds) for line in lines for when, seconds in line["sent"]),
        callables={name: (seconds, n) for name, (seconds, n) in last["transforms"].items()},
        met=tuple(last["met"]),
        process=tuple(line["process"] for line in lines),
        reads=tuple(_reads(lines)),
    )


def _reads(lines: Sequence[Mapping[str, Any]]) -> Iterator[Read]:
    for before, line in pairwise(lines):
        first, last = before["process"], line["process"]
        if None in (first["read"], last["read"], first["stored"], last["stored"]):
            continue
        rows = [Fetch(*row) for row in line["rows"]]
        seconds = sum(max(0.0, r.done - r.begun - r.delayed - r.collating) for r in rows)
        yield Read(seconds, last["read"] - first["read"], last["stored"] - first["stored"])
