"""Programs of known truth, and how a machine would time them.

Each program is what its steps take without the fix and with it, in seconds of a machine that does
nothing else; the truth is the ratio of what they take on average. A machine is slower at some times
than at others, and each start of a program differs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

from dlint.verify.judge.statistics import Pair

TURNS = 8
Steps = Callable[[int], float]
"""Seconds of a step by its number."""
Side = Callable[[random.Random], Steps]
"""The steps of one start."""


class Machine(NamedTuple):
    """What slows programs down."""

    drift: float = 0.01
    """Standard deviation of the logarithm of its slowness, which wanders."""
    slowness: float = 60.0
    """Seconds after which that has forgotten."""
    bursts: float = 0.0
    """Bursts of other load a second, how many seconds they last, and what they cost."""
    burst: float = 20.0
    cost: float = 1.5
    process: float = 0.01
    """What starts of one program differ by."""
    trend: float = 0.0
    """By how much it gets slower in each second."""


class Program(NamedTuple):
    """A program whose truth is known."""

    before: Side
    after: Side
    truth: float
    machine: Machine = Machine()
    steps: int = 16
    """Of a turn, or of an eighth of a window."""
    skip: int = 6


class Clock:
    """The time of a machine, and how slow it is."""

    def __init__(self, machine: Machine, draw: random.Random) -> None:
        self._machine, self._draw = machine, draw
        self._now, self._drift = 0.0, draw.gauss(0, machine.drift)
        self._burst_ends = 0.0
        self._cost = 0.0

    def go(self, seconds: float) -> float:
        """Do this much work. Returns how long it took."""
        machine, draw = self._machine, self._draw
        taken = seconds * math.exp(self._drift + self._cost + machine.trend * self._now)
        self._now += taken
        keep = math.exp(-taken / machine.slowness)
        self._drift = keep * self._drift + draw.gauss(0, machine.drift) * math.sqrt(1 - keep**2)
        if self._cost and self._now > self._burst_ends:
            self._cost = 0.0
        if machine.bursts and not self._cost and draw.random() < taken * machine.bursts:
            self._burst_ends = self._now + draw.expovariate(1 / machine.burst)
            self._cost = math.log1p((machine.cost - 1) * 2 * draw.random())
        return taken


class _Start:
    """A program that was started."""

    def __init__(self, program: Program, side: Side, clock: Clock, draw: random.Random) -> None:
        self._steps, self._clock = side(draw), clock
        self._factor = math.exp(draw.gauss(0, program.machine.process))
        self._number = draw.randrange(program.steps * TURNS)

    def go(self, steps: int) -> float:
        """Seconds of the next steps together."""
        seconds = sum(self._steps(self._number + n) for n in range(steps)) * self._factor
        self._number += steps
        return self._clock.go(seconds)


def duet(program: Program, clock: Clock, draw: random.Random, number: int) -> Pair:
    """A restart of both sides, which take turns; two restarts begin together."""
    if number % 2 == 0:
        clock.go(6.0)
    starts = [_Start(program, side, clock, draw) for side in (program.before, program.after)]
    blocks: tuple[list[float], list[float]] = ([], [])
    for turn in range(TURNS):
        for side in (0, 1) if (turn + number) % 2 == 0 else (1, 0):
            starts[side].go(program.skip)
            blocks[side].append(starts[side].go(program.steps) / program.steps)
    return Pair(tuple(blocks[0]), tuple(blocks[1]))


def apart(program: Program, clock: Clock, draw: random.Random, number: int) -> Pair:
    """Two runs that follow each other."""
    blocks: list[tuple[float, ...]] = [(), ()]
    for side in (0, 1) if number % 2 == 0 else (1, 0):
        clock.go(4.0)
        start = _Start(program, (program.before, program.after)[side], clock, draw)
        start.go(10)
        blocks[side] = tuple(start.go(program.steps) / program.steps for _ in range(TURNS))
    return Pair(blocks[0], blocks[1])


def constant(seconds: float, noise: float = 0.03) -> Side:
    """Steps that all take the same, nearly."""
    return lambda draw: lambda number: seconds * draw.lognormvariate(-noise * noise / 2, noise)


def stalling(seconds: float, every: int, stall: float, regular: bool = True) -> Side:
    """Steps of which some stall."""

    def start(draw: random.Random) -> Steps:
        def step(number: int) -> float:
            hit = number % every == 0 if regular else draw.random() < 1 / every
            return seconds * draw.uniform(0.97, 1.03) + (stall if hit else 0.0)

        return step

    return start


def heavy(seconds: float, tail: float) -> Side:
    """Steps with a tail: their logarithms are normal."""
    return lambda draw: lambda number: seconds * draw.lognormvariate(-tail * tail / 2, tail)


def pareto(seconds: float, shape: float) -> Side:
    """Steps with a heavier tail."""
    scale = seconds * (shape - 1) / shape
    return lambda draw: lambda number: scale * draw.paretovariate(shape)


def wandering(seconds: float, spread: float, keep: float) -> Side:
    """Steps that depend on those before."""

    def start(draw: random.Random) -> Steps:
        state = [draw.gauss(0, spread)]

        def step(number: int) -> float:
            state[0] = keep * state[0] + draw.gauss(0, spread) * math.sqrt(1 - keep**2)
            return seconds * math.exp(state[0] - spread**2 / 2)

        return step

    return start


def in_groups(seconds: float, workers: int) -> Side:
    """Batches that come in groups, as those of several workers do."""

    def start(draw: random.Random) -> Steps:
        return lambda n: (
            seconds
            * (workers * 0.9 if n % workers == 0 else 0.1 * workers / 3)
            * (draw.uniform(0.9, 1.1))
        )

    return start


def in_epochs(step: float, length: int, boundary: float) -> Side:
    """Epochs that begin with starting workers and end with a validation."""

    def start(draw: random.Random) -> Steps:
        def seconds(number: int) -> float:
            more = boundary * draw.uniform(0.95, 1.05) if number % length == 0 else 0.0
            return step * draw.uniform(0.95, 1.05) + more

        return seconds

    return start


def slowest_rank(compute: float, loading: float, ranks: int) -> Side:
    """Ranks in step: each step waits for the one whose batch comes last."""

    def start(draw: random.Random) -> Steps:
        return lambda number: (
            compute + max(loading * draw.lognormvariate(0, 0.5) for _ in range(ranks))
        )

    return start


def mean_of_slowest(compute: float, loading: float, ranks: int) -> float:
    """Seconds of a step of `slowest_rank` on average: an integral over the slowest of the ranks."""
    normal, width = NormalDist(), 0.01
    points = (number * width for number in range(-800, 801))
    slowest = sum(
        math.exp(0.5 * x) * ranks * normal.pdf(x) * normal.cdf(x) ** (ranks - 1) for x in points
    )
    return compute + loading * slowest * width


_STALLS = stalling(0.0125, 40, 0.4), constant(0.0125)
_RANKS = (0.02, 0.02, 4), (0.02, 0.01, 4)
_BUSY = Machine(drift=0.1, bursts=1 / 120, process=0.03)
_GROUPS = 4 * 0.9 + 3 * 0.1 * 4 / 3

PROGRAMS: dict[str, Program] = {
    "constant": Program(constant(0.02), constant(0.01), 2.0),
    "constant, small gain": Program(constant(0.0105), constant(0.01), 1.05),
    "nothing changes": Program(constant(0.01), constant(0.01), 1.0),
    "regular stalls": Program(*_STALLS, (0.0125 + 0.01) / 0.0125),
    "random stalls": Program(
        stalling(0.0125, 40, 0.4, regular=False), constant(0.0125), 0.0225 / 0.0125, steps=32
    ),
    "stalls on both sides": Program(
        stalling(0.02, 25, 0.2, regular=False),
        stalling(0.01, 25, 0.2, regular=False),
        0.028 / 0.018,
        steps=32,
    ),
    "bursts of load": Program(
        constant(0.015),
        constant(0.01),
        1.5,
        Machine(bursts=1 / 60, cost=2.0),
    ),
    "a machine that wanders": Program(constant(0.012), constant(0.01), 1.2, Machine(0.25, 30)),
    "a machine that gets slower": Program(
        constant(0.013), constant(0.01), 1.3, Machine(trend=0.002)
    ),
    "starts that differ": Program(constant(0.013), constant(0.01), 1.3, Machine(process=0.06)),
    "heavy tails": Program(heavy(0.015, 1.0), heavy(0.01, 1.0), 1.5),
    "heavier tails": Program(pareto(0.015, 2.2), pareto(0.01, 2.2), 1.5, steps=32),
    "steps that depend on each other": Program(
        wandering(0.014, 0.3, 0.98), wandering(0.01, 0.3, 0.98), 1.4
    ),
    "batches in groups": Program(in_groups(0.01, 4), constant(0.01), _GROUPS / 4),
    "epochs with a validation": Program(
        in_epochs(0.032, 50, 1.0), in_epochs(0.0182, 50, 1.0), (1.6 + 1.0) / (0.91 + 1.0), steps=50
    ),
    "ranks in step": Program(
        *(slowest_rank(*given) for given in _RANKS),
        mean_of_slowest(*_RANKS[0]) / mean_of_slowest(*_RANKS[1]),
    ),
    "a busy machine": Program(constant(0.012), constant(0.01), 1.2, _BUSY),
}
