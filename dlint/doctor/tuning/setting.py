"""Settings of the loader that feeds the training, and what each would bring by the figures of a
run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dlint.doctor.ceiling import Ceiling
from dlint.doctor.fetching import Fetching
from dlint.doctor.machine import Machine
from dlint.doctor.timeline import FIRST, STARTING, TAIL, TimeLine
from dlint.doctor.tuning.queueing import pace_of
from dlint.verify.measure.record import LoaderRecord

PREFETCH = 2
"""What torch gives to workers where `prefetch_factor` is not set."""
_MIB = 2**20
_WORKER = {"fork": 64 * _MIB}
_OF_WORKERS = frozenset({"prefetch_factor", "persistent_workers", "start_method", "worker_threads"})
_FRESH_WORKER = 300 * _MIB
"""Private bytes of a worker, where none was seen: a process that imports torch anew has more."""
_FRESH_START, _FORK_START = 2.0, 0.03
"""Seconds that a worker takes to start, where none was seen."""


class Setting(NamedTuple):
    """What a loader may be given."""

    num_workers: int
    prefetch_factor: int | None = None
    """None without workers."""
    persistent_workers: bool = False
    pin_memory: bool = False
    start_method: str | None = None
    """None for that of the program."""
    worker_threads: int | None = None
    """Threads of libraries in each worker; None for as many as they have."""

    @property
    def queue(self) -> int:
        """How many batches may wait to be taken."""
        return self.num_workers * (self.prefetch_factor or 0)

    def beside(self, present: Setting) -> Mapping[str, Any]:
        """The arguments of the constructor in which it differs from another."""
        names = {"start_method": "multiprocessing_context"}
        own, others = self._asdict(), present._asdict()
        changed = {n: v for n, v in own.items() if v != others[n] and v is not None}
        if not self.num_workers:  # what torch refuses beside that falls away with the number
            changed = {n: v for n, v in changed.items() if n not in _OF_WORKERS}
        if present.prefetch_factor is None and self.prefetch_factor == PREFETCH:
            del changed["prefetch_factor"]
        return {names.get(name, name): value for name, value in changed.items()}


class Facts(NamedTuple):
    """What one run of a script shows."""

    loader: LoaderRecord
    fetching: Fetching
    ceiling: Ceiling
    line: TimeLine
    machine: Machine
    on_gpu: bool
    may_fork: bool = False
    """Whether nothing was seen that forbids to fork workers: threads of the program, or a
    device."""
    handing: float = 0.0
    """Seconds for which the loop waits for a batch that is ready: it is sent by a worker, received
    and opened."""
    device_memory: float | None = None
    """The share of its memory that the fullest device uses; None where that is not known."""


def present_of(loader: LoaderRecord) -> Setting:
    """What a loader was made with."""
    count, factor = loader.workers, loader.prefetch_factor
    return Setting(
        count,
        (factor if isinstance(factor, int) else PREFETCH) if count else None,
        bool(loader.persistent_workers is True or loader.persistent_workers == 1),
        loader.pinned is True or loader.pin_memory in (True, 1),
    )


class Predictor:
    """What settings would come to."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.present = present_of(facts.loader)

    def seconds(self, setting: Setting) -> float:
        """Seconds a batch, with the share of each that epochs begin and end with."""
        length = self.facts.loader.epoch_length
        edges = 0.0 if length is None else self._edges(setting) / length
        return self.step(setting) + edges

    def step(self, setting: Setting) -> float:
        """Seconds from batch to batch within an epoch: with workers no less than the work on one
        and what handing it over takes, nor than what they must compute for one, on the processors
        that there are for them."""
        fetching, free = self.facts.fetching, self.facts.ceiling.free_step
        count, factor = setting.num_workers, setting.prefetch_factor or PREFETCH
        if count == 0:
            return pace_of(self._times(), free, count, factor)
        found = pace_of(self._times(), free + self.facts.handing, count, factor)
        return max(found, fetching.batch * fetching.computing / self.processors)

    @property
    def processors(self) -> float:
        """Processors that are left for the workers of a rank, beside the program itself."""
        machine, most = self.facts.machine, self.facts.ceiling
        own = max(0.0, min(1.0, most.free_step / max(1e-9, most.now)))
        return max(0.25, machine.cpus / max(1, machine.ranks) - own)

    def _times(self) -> Sequence[float]:
        fetching = self.facts.fetching
        return fetching.times or (fetching.batch * (1 - fetching.delayed),)

    def _edges(self, setting: Setting) -> float:
        """Seconds of an epoch that are no steps: with workers that stay it begins with one
        batch, which nobody has made yet."""
        if setting.num_workers == 0:
            return 0.0
        first = self.facts.fetching.batch
        if setting.persistent_workers:
            return first
        return first + setting.num_workers * self._start(setting)

    def _start(self, setting: Setting) -> float:
        """Seconds in which one worker starts and ends."""
        edges, present = self.facts.line.edges, self.present
        seen = present.num_workers and not present.persistent_workers and self.facts.line.epochs
        if seen and setting.start_method is None:
            spent = edges[STARTING].mean + edges[TAIL].mean
            late = max(0.0, edges[FIRST].mean - self.facts.fetching.batch)
            return (spent + late) / present.num_workers
        return _FORK_START if self._method(setting) == "fork" else _FRESH_START

    def _method(self, setting: Setting) -> str:
        return setting.start_method or self.facts.loader.start_method or "fork"

    @property
    def worker_memory(self) -> int:
        """Bytes of a worker; supposed where none was seen."""
        if self.facts.machine.worker_memory:
            return self.facts.machine.worker_memory
        return _WORKER.get(self.facts.loader.start_method or "fork", _FRESH_WORKER)

    def memory(self, setting: Setting) -> int:
        """Bytes of all processes of the program, with the batches that wait."""
        machine = self.facts.machine
        more = setting.num_workers - self.present.num_workers
        waiting = setting.queue - self.present.queue
        each = more * self.worker_memory + waiting * self.facts.fetching.size
        return max(0, machine.memory + max(1, machine.ranks) * each)
