"""Runs that go on, and the limits that end them."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dlint.verify.run.compile_cache import newest
from dlint.verify.run.machines import silent
from dlint.verify.run.memory import Memory
from dlint.verify.run.output import loaderless
from dlint.verify.run.processes import Family
from dlint.verify.run.terminal import Terminal

OUT_OF_TIME = "the budget ended"
_TICK = 0.05
_SAMPLE_SECONDS = 0.3
_SPARING = 20
"""A sample of memory is taken no more often than this many times what it takes."""
_REACH_SECONDS = 30.0
"""After which a Python that runs should have said that it is measured."""
_COMPILING = 4.0
"""Start-up limits that a run may take that compiles: nothing is compiled before the first one."""
_LATELY = 60.0
"""Seconds without a file after which a compiler may have hung."""


class Live(NamedTuple):
    """A run that goes on."""

    folder: Path
    process: subprocess.Popen[bytes]
    family: Family
    memory: Memory
    began: float
    texts: Mapping[str, str]
    terminal: Terminal

    @property
    def out(self) -> Path:
        """Where its records are."""
        return self.folder / "out"

    @property
    def gate(self) -> Path:
        """Where it asks for its turns."""
        return self.folder / "gate"

    def ended(self) -> bool:
        """Whether its process is gone."""
        return self.process.poll() is not None


class Limits(NamedTuple):
    """How long a run may take, in seconds."""

    startup: float
    """To its first training step."""
    training: float
    """Behind that."""
    compiled: Path | None = None
    """The folder of what is compiled: while something new comes there, a run has not hung."""
    ends: float = math.inf
    """When it is ended in any case, on the monotonic clock."""


def watch(lives: Sequence[Live], limits: Limits, sampled: bool) -> list[str | None]:
    """Wait for the end of all of them, or until each hit a limit. Returns those that were hit;
    `sampled` is whether their memory is."""
    watches = [_Watch(live, limits, sampled) for live in lives]
    while any(watch.goes_on() for watch in watches):
        time.sleep(_TICK)
    return [watch.over for watch in watches]


@dataclass(slots=True)
class _Watch:
    """What is known of one run."""

    live: Live
    limits: Limits
    sampled: bool
    over: str | None = None
    """The limit that it hit."""
    training_since: float | None = None
    reached: bool = False
    last_sample: float = 0.0
    cost: float = 0.0
    """Seconds that the last sample took: it holds up the processes that it looks at."""
    last_look: float = 0.0
    compiling_until: float = 0.0

    def goes_on(self) -> bool:
        """Whether it neither ended nor hit a limit."""
        if self.over is not None or self.live.ended():
            return False
        now = time.monotonic()
        if self.training_since is None and any(self.live.out.glob("started.*")):
            self.training_since = now
        self.over = self._unreached(now) or self._limit(now)
        if now - self.last_sample > max(_SAMPLE_SECONDS, _SPARING * self.cost):
            self._sample(now)
        return self.over is None

    def _unreached(self, now: float) -> str | None:
        if self.reached or now - self.live.began <= _REACH_SECONDS:
            return None
        self.reached = (self.live.out / "injected").exists()
        if self.reached or not self.live.family.holds_python():
            return None
        return "the measurement did not reach it"

    def _limit(self, now: float) -> str | None:
        if now > self.limits.ends:
            return OUT_OF_TIME
        gone = silent(self.live.out)
        if gone:
            return f"{', '.join(gone)} fell silent: killed, or cut off"
        if loaderless(self.live.out):
            return "it trains without a DataLoader of torch's"
        if self.training_since is None and now - self.live.began > self.limits.startup:
            if self._compiles(now):
                return None
            return (
                f"no training step within {self.limits.startup:.0f} s (the start-up limit, "
                "`--startup-limit`)"
            )
        if self.training_since is not None and now - self.training_since > self.limits.training:
            return f"it was not through its window within {self.limits.training:.0f} s"
        return None

    def _compiles(self, now: float) -> bool:
        """Whether a compiler wrote something lately; asked now and then, for as long as it may."""
        if now - self.live.began > _COMPILING * self.limits.startup:
            return False
        if now - self.last_look > _SAMPLE_SECONDS:
            self.last_look = now
            written = newest(self.limits.compiled)
            if written is not None and time.time() - written < _LATELY:
                self.compiling_until = now + _LATELY
        return now < self.compiling_until

    def _sample(self, now: float) -> None:
        self.last_sample = now
        members = self.live.family.members(thorough=False)
        if self.sampled:
            self.live.memory.sample(members, now - self.live.began)
            self.cost = time.monotonic() - now
