"""What the probe knows of this process: its loaders, their epochs and steps."""

# ruff: noqa: PTH120, PTH206
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import sys
import time
import weakref
from array import array
from typing import Any

from . import accelerator

clock = time.perf_counter

Config = dict[str, Any]
Stack = Any
"""Pairs of a file and a line."""

_MOST_STEPS = 1_000_000
_MOST_EPOCHS = 2_000
_SKIPPED = frozenset({"torch", "torchdata", "dlint_probe"})


class Loader:
    """One DataLoader: what it was given, and what was taken from it."""

    def __init__(self, made: Any, stack: Stack) -> None:
        self.made = weakref.ref(made)
        self.dataset = _reference(getattr(made, "dataset", None))
        self.is_own = bool(stack) and is_own(stack[0][0])
        """Whether the program makes it, not a library."""
        self.site = next((list(frame) for frame in stack if is_own(frame[0])), None)
        self.facts = _facts(made)
        self.kind = stack, tuple(self.facts.values())
        """Loaders of one kind are made by one statement for one purpose."""
        self.length: int | None = None
        self.epochs: list[dict[str, Any]] = []
        self.batches = 0
        self._last: int | None = None
        """The number of batches behind which the epoch is over, where its length is known."""
        self.optimizer_steps = 0
        self.backwards = 0
        self.entered = array("d")
        """When each `next()` that gave a batch was called."""
        self.given = array("d")
        """When it gave it."""
        self.order: list[list[Any]] = []
        """By epoch, the indices of each batch."""
        self.hashes: list[list[str]] = []
        """By epoch, the hash of each batch."""
        self.samples: list[list[str]] = []
        """By epoch, the hash of each sample."""
        self.pinned: bool | None = None
        self.batch_bytes = 0
        self.hashed = 0
        """Bytes of which hashes were made."""
        self.worker_pids: list[int] = []
        self.device: Any = None
        """What notes when the device came to each batch, where that is asked for."""

    def begin(self, kind: str, now: float) -> None:
        """A new pass over the data: `new` iterator, or `reset` of one that keeps its workers."""
        if self.length is None:
            self.length = _length(self.made())
        self._last = None
        if len(self.epochs) < _MOST_EPOCHS:
            self.epochs.append({"kind": kind, "start": now, "offset": self.batches})
            self._last = None if self.length is None else self.batches + self.length
        for by_epoch in (self.order, self.hashes, self.samples):
            by_epoch.append([])

    def took(self, entered: float, given: float) -> None:
        """A batch was taken. The last one ends the epoch, for who does not ask for a further one;
        to be told that there is none comes later, and then counts."""
        self.batches += 1
        if self.batches < _MOST_STEPS:
            self.entered.append(entered)
            self.given.append(given)
        if self.batches == self._last:
            self.epochs[-1]["end"] = given

    def ended(self, entered: float) -> None:
        """There was no further batch when one was asked for then."""
        if self.epochs:
            self.epochs[-1]["end"] = clock()
            self.epochs[-1]["tail"] = clock() - entered


class State:
    """Everything of one process."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.pid = os.getpid()
        self.installed = clock()
        self.loaders: list[Loader] = []
        self.by_object: weakref.WeakKeyDictionary[Any, Loader] = weakref.WeakKeyDictionary()
        self.current: Loader | None = None
        """The loader that gave a batch last."""
        self.train: Loader | None = None
        """The loader that feeds the training."""
        self.optimizer_steps = 0
        self.due = 0
        """The number of its batches from which on the window is asked at each `next()`."""
        self.until = float("inf")
        """And the time."""
        self.here = True
        """Whether this is the process that is measured, not a fork of it, and goes on."""
        os.register_at_fork(after_in_child=self.stop)
        self.window: dict[str, Any] | None = None
        self.iterators: weakref.WeakSet[Any] = weakref.WeakSet()
        self.datasets: list[dict[str, Any]] = []
        self.losses: list[float] = []
        self.streams: list[str] = []
        """Beside each loss, where the random streams stood."""
        self.precision = 0.0
        """How far the numbers lie apart that it computes with, as a share; the coarsest count."""
        self.error: dict[str, Any] | None = None
        self.requested_strategy: str | None = None
        self.hashing = 0.0
        """Seconds spent on hashes, which are none of the program's."""
        self.first_batch: float | None = None
        self.profiler: Any = None
        self.doctor: Any = None
        """What divides the run into parts, where `dlint doctor` asked for it."""
        self.meters: list[Any] = []
        """What times batches that this process fetches itself, likewise."""
        self.post: Any = None
        """The way to the first machine, where there are several."""
        self.gate: Any = None
        """What gives the program its turns, where it takes turns with another."""

    def stop(self) -> None:
        """Record nothing more."""
        self.here = False

    def loader(self, made: Any) -> Loader:
        """The record of a loader; made now if its class skips `DataLoader.__init__`.

        A loader that is made anew for every epoch goes on with the record of the one before.
        """
        found = self.by_object.get(made)
        if found is None:
            found = self.add(made, ())
        if found.batches or found.epochs:
            return found
        for earlier in self.loaders:
            if earlier.kind == found.kind and earlier.made() is None:
                self.loaders.remove(found)
                earlier.made = weakref.ref(made)
                self.by_object[made] = earlier
                return earlier
        return found

    def add(self, made: Any, stack: Stack) -> Loader:
        """Begin the record of a loader that was constructed there.

        A loader that a library makes in place of the program's stands where that one does.
        """
        loader = Loader(made, stack)
        dataset = loader.dataset()
        if not loader.is_own and dataset is not None:
            twins = (x for x in self.loaders if x.is_own and x.dataset() is dataset)
            loader.site = next((x.site for x in twins), loader.site)
        self.loaders.append(loader)
        self.by_object[made] = loader
        return loader


def synchronise() -> None:
    """Wait for the devices that the program uses; none is started by that."""
    found = accelerator.in_use()
    if found is not None:
        found.synchronise()


def stack() -> Stack:
    """Files and lines of the frames outside torch and the probe, the innermost first."""
    frame = sys._getframe(1)
    found: list[tuple[str, int]] = []
    while frame is not None and len(found) < 12:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in _SKIPPED:
            found.append((os.path.realpath(frame.f_code.co_filename), frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def is_own(path: str) -> bool:
    """Whether a file is the program's, not Python's or a library's."""
    library = os.path.dirname(os.path.realpath(os.__file__))
    parts = path.split(os.sep)
    if "site-packages" in parts or "dist-packages" in parts or path.startswith("<"):
        return False
    return not path.startswith(library + os.sep)


def _reference(thing: Any) -> Any:
    """A way back to a thing that does not keep it alive, where there is one."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: None


def _facts(made: Any) -> dict[str, Any]:
    named = (
        "num_workers",
        "batch_size",
        "pin_memory",
        "persistent_workers",
        "prefetch_factor",
        "drop_last",
    )
    facts = {name: getattr(made, name, None) for name in named}
    context = getattr(made, "multiprocessing_context", None)
    if facts["batch_size"] is None:
        sampler = getattr(made, "batch_sampler", None)
        facts["batch_size"] = getattr(sampler, "batch_size", None)
    facts["start_method"] = _start_method(context)
    facts["class"] = type(made).__name__
    facts["dataset"] = type(getattr(made, "dataset", None)).__name__
    facts["sampler"] = type(getattr(made, "sampler", None)).__name__
    return {k: v if isinstance(v, (int, str, type(None))) else repr(v) for k, v in facts.items()}


def _start_method(context: Any) -> str | None:
    """How workers start: as the loader was told, or as the program's processes do."""
    if context is not None:
        return str(context.get_start_method())
    known: Any = sys.modules.get("multiprocessing")
    if known is None:
        return None
    return str(known.get_start_method(allow_none=True) or known.get_all_start_methods()[0])


def _length(made: Any) -> int | None:
    try:
        return len(made)
    except Exception:
        return None
