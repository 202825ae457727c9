"""What the workers do: how long they read, transform, collate and send, and what they meet."""

# ruff: noqa: PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import functools
import json
import os
import sys
import time
from typing import Any

from ..state import State, clock
from . import samples, transforms

_EVERY = 0.25
"""Seconds between two lines of what is written."""


class Meter:
    """What one process fetches; written in lines, since a worker may be ended at any moment."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, f"fetch.{os.getpid()}")
        self.pid = os.getpid()
        self._written = 0.0
        self.rows: list[tuple[Any, ...]] = []
        """By batch: when it was begun, and done; seconds on a processor, and of waiting for one;
        seconds of collating; samples, bytes; and the number of its loader, where the program
        fetches itself."""
        self.sent: list[tuple[float, float]] = []
        """By batch that was sent: when, and seconds."""
        self.transforms = transforms.Clocks()
        self._met: dict[int | None, samples.Met] = {}
        self.collating = 0.0
        self.indices: Any = None
        """Those of the batch that is made."""
        self.size = (0, 0)
        self._waits = _opened("/proc/thread-self/schedstat")

    def now(self) -> tuple[float, float, float]:
        """The time; seconds of this thread on a processor, and of waiting for one."""
        return clock(), time.thread_time(), self._waited()

    def _waited(self) -> float:
        """As the kernel of Linux counts it; 0 elsewhere."""
        if self._waits is None:
            return 0.0
        return int(os.pread(self._waits, 96, 0).split()[1]) / 1e9

    def fetched(self, begun: tuple[float, float, float], loader: int | None) -> None:
        """A batch was made, or could not be."""
        done = clock()
        used, waited = time.thread_time() - begun[1], self._waited() - begun[2]
        times = (begun[0], done, used, waited, self.collating)
        self.rows.append((*(round(x, 6) for x in times), *self.size, loader))
        self.collating, self.size = 0.0, (0, 0)
        if done - self._written > _EVERY:
            self.write()

    def met(self, loader: int | None) -> samples.Met:
        """What was met of a loader."""
        return self._met.setdefault(loader, samples.Met())

    def write(self) -> None:
        """Write what there is."""
        if os.getpid() != self.pid:
            return
        line = {
            "rows": self.rows,
            "sent": self.sent,
            "transforms": self.transforms.told(),
            "met": [{"loader": loader, **met.told()} for loader, met in self._met.items()],
            "process": _process(),
        }
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.rows, self.sent, self._written = [], [], clock()


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None


def _process() -> dict[str, Any]:
    """What the kernel counts of this process, and the threads of libraries in it."""
    found: dict[str, Any] = {"read": None, "stored": None}
    try:
        with open("/proc/self/io") as file:
            counts = dict(line.split(": ") for line in file.read().splitlines())
        found["read"], found["stored"] = int(counts["rchar"]), int(counts["read_bytes"])
    except (OSError, ValueError, LookupError):
        pass
    torch, opencv = sys.modules["torch"], sys.modules.get("cv2")
    found["threads"] = int(torch.get_num_threads())
    found["opencv"] = None if opencv is None else int(opencv.getNumThreads())
    return found


def listen(state: State) -> None:
    """Listen to each batch that a worker makes, or the program itself without workers."""
    from multiprocessing import reduction

    from torch.utils.data._utils import fetch

    home = _Home(state)
    for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        _listen_to_fetcher(home, fetcher)
    _listen_to_sending(home, reduction.ForkingPickler)


class _Home:
    """The meter of whatever process this is."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._meter: Meter | None = None

    def meter(self) -> Meter:
        """The one of this process."""
        if self._meter is None or self._meter.pid != os.getpid():
            self._meter = Meter(self._state.config["out"])
            self._write_at_the_end(self._meter)
        return self._meter

    def _write_at_the_end(self, meter: Meter) -> None:
        if self._state.here and self._state.pid == meter.pid:
            self._state.meters.append(meter)
        from multiprocessing import util

        util.Finalize(None, meter.write, exitpriority=20)

    def known(self) -> Meter | None:
        """The one of this process, if it has fetched something."""
        meter = self._meter
        return meter if meter is not None and meter.pid == os.getpid() else None

    def loader(self) -> int | None:
        """The loader that the program asks, where it fetches itself."""
        state = self._state
        asking = state.doctor.asking if state.here and state.doctor is not None else None
        return state.loaders.index(asking) if asking in state.loaders else None


def _listen_to_fetcher(home: _Home, cls: Any) -> None:
    init, original = cls.__init__, cls.fetch

    @functools.wraps(init)
    def initialised(self: Any, dataset: Any, *args: Any, **named: Any) -> None:
        meter = home.meter()
        meter.transforms.listen(dataset)
        init(self, dataset, *args, **named)
        self.collate_fn = _collating(self.collate_fn, home, self)

    @functools.wraps(original)
    def fetch(self: Any, indices: Any) -> Any:
        meter = home.meter()
        meter.indices = indices
        begun = meter.now()
        try:
            return original(self, indices)
        except StopIteration:
            meter.size = (-1, 0)
            raise
        finally:
            if meter.size[0] >= 0:
                meter.fetched(begun, home.loader())
            meter.size = (0, 0)

    cls.__init__, cls.fetch = initialised, fetch


def _collating(original: Any, home: _Home, fetcher: Any) -> Any:
    """A collate function that is timed, and whose samples are looked at; not while they are."""

    @functools.wraps(original, updated=())
    def collate(data: Any) -> Any:
        meter = home.meter()
        met = meter.met(home.loader())
        single = not fetcher.auto_collation
        given = [data] if single else data if isinstance(data, (list, tuple)) else ()
        indices = [meter.indices] if single else meter.indices
        met.look(given, indices, fetcher)
        begun = clock()
        try:
            batch = original(data)
        except Exception as error:
            met.failed(error, given, indices)
            meter.write()
            raise
        meter.collating = clock() - begun
        tensors = samples.tensors_of(batch)
        met.made(tensors)
        meter.size = (len(given), sum(tensor.nbytes for tensor in tensors))
        return batch

    return collate


def _listen_to_sending(home: _Home, pickler: Any) -> None:
    original = pickler.dumps.__func__

    def dumps(cls: Any, thing: Any, *args: Any, **named: Any) -> Any:
        meter = home.known()
        if meter is None or not _is_batch(thing):
            return original(cls, thing, *args, **named)
        begun = clock()
        try:
            return original(cls, thing, *args, **named)
        finally:
            meter.sent.append((round(begun, 6), round(clock() - begun, 6)))

    pickler.dumps = classmethod(dumps)


def _is_batch(thing: Any) -> bool:
    """Whether a worker sends this as the batch of some number."""
    from torch.utils.data import get_worker_info

    numbered = isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], int)
    return numbered and get_worker_info() is not None
