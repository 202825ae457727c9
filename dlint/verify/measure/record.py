"""What the probe wrote, read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from dlint.verify.measure.examined import Examined
from dlint.verify.plan.secrecy import Secrets


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Epoch(_Part):
    """One pass over a loader; times in seconds since the probe was installed."""

    kind: str
    start: float
    batches: int
    wait: float
    ready: float | None = None
    first: float | None = None
    first_wait: float | None = None
    end: float | None = None
    tail: float | None = None


class LoaderRecord(_Part):
    """One loader of a process."""

    site: tuple[str, int] | None
    length: int | None
    epochs: tuple[Epoch, ...]
    batches: int
    optimizer_steps: int
    entered: tuple[float, ...]
    given: tuple[float, ...]
    reached: tuple[float, ...] = ()
    """When the device came to each batch; only of runs by epochs."""
    order: tuple[tuple[Any, ...], ...]
    hashes: tuple[tuple[str, ...], ...]
    samples: tuple[tuple[str, ...], ...]
    pinned: bool | None
    batch_bytes: int
    worker_pids: tuple[int, ...]
    num_workers: Any = None
    batch_size: Any = None
    pin_memory: Any = None
    persistent_workers: Any = None
    prefetch_factor: Any = None
    drop_last: Any = None
    start_method: str | None = None
    dataset: str | None = None
    sampler: str | None = None
    background: bool = False
    """Whether it is read in another thread than the main one."""

    @property
    def moments(self) -> tuple[float, ...]:
        """When steps began: on the device, where that was noted."""
        return self.reached or self.entered

    @property
    def workers(self) -> int:
        """How many workers it has; 0 when that is not known."""
        return self.num_workers if isinstance(self.num_workers, int) else 0

    @property
    def epoch_length(self) -> int | None:
        """Batches of an epoch: all of the loader, unless the program leaves it before."""
        if not self.epochs or any(epoch.end is not None for epoch in self.epochs):
            return self.length
        *left, last = (epoch.batches for epoch in self.epochs)
        return max(left) if left and max(left) >= last else self.length

    @property
    def passes(self) -> list[int]:
        """Numbers of the epochs that are some; a batch that is only looked at begins none."""
        found, longest = [], 0
        for number, epoch in reversed(list(enumerate(self.epochs))):
            longest = max(longest, epoch.batches)
            if epoch.end is not None or epoch.batches == longest:
                found.append(number)
        return found[::-1]

    @property
    def queue(self) -> int:
        """How many batches may wait to be taken."""
        factor = self.prefetch_factor if isinstance(self.prefetch_factor, int) else 2
        return self.workers * factor


class Window(_Part):
    """The measured part of a run."""

    first_step: int
    steps: int
    seconds: float
    optimizer_steps: int
    epochs: int
    opened: float
    slices: tuple[tuple[int, int, float], ...] = ()
    """The first batch, the steps and the seconds of each turn, where turns were taken."""


class Failure(_Part):
    """An exception that ended a process."""

    type: str
    message: str
    frames: tuple[tuple[str, int], ...] = ()


class DatasetMade(_Part):
    """A dataset that was constructed, and how long that took."""

    model_config = ConfigDict(extra="allow", frozen=True)
    seconds: float


class DeviceMemory(_Part):
    """The memory of a device, in bytes."""

    number: int
    peak: int
    """The most that torch held there."""
    held: int
    """What it held when the measurement ended."""
    used: int
    """What was taken then, of whoever: torch's, that of libraries, other programs'."""
    total: int

    def fits(self, programs: int, share: float) -> bool:
        """Whether so many such programs fit. What was taken beside torch's is needed again, for
        as much of it may be this program's: its context, its libraries' buffers."""
        beside = max(0, self.used - self.held)
        return programs * (beside + self.peak) <= share * self.total


class Record(_Part):
    """What one process (one rank) recorded."""

    why: str
    rank: int
    world: int
    pid: int
    seconds: float
    import_seconds: float
    first_batch_seconds: float | None
    optimizer_steps: int
    hashing_seconds: float
    window: Window | None
    datasets: tuple[DatasetMade, ...]
    losses: tuple[float, ...]
    streams: tuple[str, ...] = ()
    """Beside each loss, where the random streams stood."""
    precision: float = 0.0
    """How far the numbers lie apart that it computes with, as a share."""
    error: Failure | None
    requested_strategy: str | None
    train: int | None
    loaders: tuple[LoaderRecord, ...]
    torch: str
    python: str
    cuda_available: bool
    cuda_used: bool
    cuda_version: str | None
    threads: int
    gpu: str | None
    """The name of the device."""
    accelerator: str | None = None
    """The kind of devices that it used, as in `torch.device(kind)`; None for none."""
    device_available: bool = False
    cuda_memory: tuple[DeviceMemory, ...] = ()
    """Of each device that it used; none where no count is kept."""
    doctor: Examined | None = None
    """Of a run that is examined."""

    @property
    def on_device(self) -> bool:
        """Whether it computed on a device of some kind."""
        return self.cuda_used or self.accelerator is not None

    @property
    def training(self) -> LoaderRecord | None:
        """The loader that feeds the training."""
        return None if self.train is None else self.loaders[self.train]


def read_records(folder: Path, secrets: Secrets | None = None) -> list[Record]:
    """The records of a run, in order of rank; `secrets` are masked in what they repeat."""
    hook = None if secrets is None else secrets.fields
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("record.*.json"))]
    found = [Record.model_validate(json.loads(text, object_hook=hook)) for text in texts]
    return sorted(found, key=lambda record: (record.rank, -len(record.loaders)))


def strategies(folder: Path) -> list[str]:
    """The sharing strategies that the workers of a run had, each change of each worker."""
    paths = sorted(folder.glob("worker.*"))
    return [line for path in paths for line in path.read_text("utf-8").split()]
