"""What the batches of the training loader are used for, one part of the run after the other.

A warm-up; the window, in which nothing is done but noting times; a stretch under torch's profiler;
and a replay, in which batches that were kept are given again, so that loading costs nothing.
"""

from __future__ import annotations

import time
from array import array
from typing import Any

from .. import window
from ..leave import leave, rank_and_world
from ..record import finish
from ..state import Loader, State, clock, synchronise
from . import facts
from .profiled import Stretch
from .replay import Kept

_ORDER = ("warmup", "window", "profile", "settle", "replay")
_LEAST = {"warmup": 0, "window": 8, "profile": 4, "settle": 2, "replay": 6}
"""Steps under which a part is not over, however long it takes."""
_SHARES = {"window": 0.5, "profile": 0.12, "settle": 0.04, "replay": 0.22}
"""Of the time that is left when the warm-up is over."""
_LONGEST = {"window": 25.0, "profile": 4.0, "settle": 1.5, "replay": 10.0}
_MOST_PROFILED = 100
_LEAST_WARMUP = 10
_NEVER = float("inf")


class Phases:
    """The parts of the run of one process."""

    def __init__(self, state: State, plan: dict[str, Any]) -> None:
        self._state = state
        self._seconds: float = plan["seconds"]
        self._steps: dict[str, int] = plan.get("steps") or {}
        """How many steps each part has; where that is not told, time decides."""
        self.name = ""
        self.asking: Loader | None = None
        """The loader that is asked for a batch at this moment."""
        self._first = 0
        """The number of batches when the part began."""
        self.spans: dict[str, dict[str, float]] = {}
        self.depths = array("h")
        """By batch of the training loader, how many were ready when it was asked for."""
        self.first_depth = 0
        """The number of the batch that the first of these is of."""
        self._left = 0.0
        self.stretch = Stretch()
        self.kept = Kept()
        self.starts: list[dict[str, Any]] = []
        """What the process was like when workers were started."""
        self.process: dict[str, Any] = {}
        self._loaders: dict[Loader, dict[str, Any]] = {}

    def enter(self, loader: Loader, now: float) -> None:
        """The training loader is asked for a batch: the part may be over."""
        if not self.name:
            self._begin("warmup", loader, now)
        done = loader.batches - self._first
        if loader.batches < self._state.due and now < self._state.until:
            return
        least = self._steps.get(self.name, _LEAST[self.name])
        if done < least:
            self._state.due, self._state.until = self._first + least, _NEVER
            return
        self._close(loader)
        index = _ORDER.index(self.name) + 1
        if index == len(_ORDER):
            finish(self._state, "window")
            leave(self._state)
        self._begin(_ORDER[index], loader, clock())

    def _begin(self, name: str, loader: Loader, now: float) -> None:
        state = self._state
        self.name, self._first = name, loader.batches
        if name == "window":
            self._left = self._seconds - (time.time() - state.config["launched"])
            window.begin(state, loader)
        elif name == "profile":
            self.stretch.begin(state)
            self.kept.room = True
        elif name in ("settle", "replay"):
            synchronise()
            self.kept.restoring = 0.0
        state.due, state.until = self._bounds(name, loader)
        self.spans[name] = {"first": loader.batches, "begun": clock() - state.installed}

    def _bounds(self, name: str, loader: Loader) -> tuple[int, float]:
        """From which batch on, and when, the part is over."""
        if name in self._steps:
            return self._first + self._steps[name], _NEVER
        if name == "warmup":
            queue = _number(loader, "num_workers") * (_number(loader, "prefetch_factor") or 2)
            return max(_LEAST_WARMUP, 2 * queue + 5), _NEVER
        most = self._first + _MOST_PROFILED if name == "profile" else 1 << 60
        seconds = min(_LONGEST[name], max(0.0, self._left) * _SHARES[name])
        alone = rank_and_world()[1] == 1
        return (most, clock() + seconds) if alone else (self._first + _TOGETHER[name], _NEVER)

    def _close(self, loader: Loader) -> None:
        state = self._state
        if self.name == "window":
            window.close(state, loader)
            self.process = facts.of_process(loader)
        elif self.name == "profile":
            self.stretch.end(state)
            self.kept.room = False
        elif self.name == "replay":
            synchronise()
        span = self.spans[self.name]
        span.update(last=loader.batches, ended=clock() - state.installed)
        span["restoring"] = self.kept.restoring

    def close_early(self) -> None:
        """The program ends in the midst of a part."""
        train, span = self._state.train, self.spans.get(self.name)
        if train is None or span is None or "last" in span or self._state.error is not None:
            return
        if self.name != "window":  # who ends that is the window itself
            self._close(train)
        else:
            self.process = facts.of_process(train)
            span.update(last=train.batches, ended=clock() - self._state.installed)

    def starting(self, loader: Loader) -> None:
        """An iterator is made; with workers, they start."""
        if loader not in self._loaders:
            self._loaders[loader] = facts.of_loader(loader)
        if _number(loader, "num_workers"):
            self.starts.append(facts.at_start(loader))

    def feeding(self, following: Any, own: str) -> Any:
        """`next()` of iterators; `own` is the attribute that names the record of a loader."""

        def following_batch(iterator: Any) -> Any:
            loader = getattr(iterator, own, None)
            if loader is None or not self._state.here:
                return following(iterator)
            return self._next(iterator, loader, following)

        return following_batch

    def _next(self, iterator: Any, loader: Loader, following: Any) -> Any:
        """The next batch: the loader's, or one that was kept."""
        if loader is not self._state.train:
            self.asking = loader
            return following(iterator)
        if self.name in ("settle", "replay") and self.kept.batches:
            return self._replayed(loader)
        depth = facts.ready(iterator)
        self.asking = loader
        batch = following(iterator)
        if not self.depths:
            self.first_depth = loader.batches
        self.depths.append(depth)
        if self.kept.room:
            self.kept.keep(batch, iterator)
        return batch

    def _replayed(self, loader: Loader) -> Any:
        """A batch that was kept, as long as the epoch has some: a program counts on its length."""
        epoch = loader.epochs[-1]
        if loader.length is not None and loader.batches - epoch["offset"] >= loader.length:
            raise StopIteration
        return self.kept.give()

    def told(self) -> dict[str, Any]:
        """What the record has of it."""
        state = self._state
        for meter in state.meters:
            meter.write()
        return {
            "installed": state.installed,
            "phases": self.spans,
            "depths": list(self.depths),
            "first_depth": self.first_depth,
            "replayed": len(self.kept.batches),
            "unkept": self.kept.unkept,
            "profile": self.stretch.told(state.installed),
            "starts": self.starts[:8],
            "process": self.process,
            "loaders": [self._loaders.get(loader, {}) for loader in state.loaders],
        }


_TOGETHER = {"window": 80, "profile": 20, "settle": 4, "replay": 30}
"""Steps of ranks, which must not leave each other."""


def _number(loader: Loader, name: str) -> int:
    value = loader.facts.get(name)
    return value if isinstance(value, int) else 0
