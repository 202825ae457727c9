"""Pairs of runs in the order ABBA, looked at now and then, until they say something."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dlint.verify.judge.statistics import FEWEST, Call, Estimate, estimate, looks
from dlint.verify.measure import interleaved
from dlint.verify.measure.epochs import epoch_seconds, epoch_slices, log_ratio
from dlint.verify.run.runner import Run, Runner, Setting, Variant

Statistic = Callable[[Run], float | None]
"""A number of a run, less being better; None when the run did not give it."""


class Measure(NamedTuple):
    """What runs are judged by."""

    of_run: Statistic
    of_turns: Callable[[Run], list[float]] | None = None
    """The same number by each turn of a duet; None where there is none."""
    log_ratio: Callable[[Run, Run], float] | None = None
    """How two runs that gave their numbers compare, where that is not the ratio of these."""


class Rule(NamedTuple):
    """How pairs are judged."""

    confidence: float
    effect: float
    pairs: int
    deadline: float
    """On the monotonic clock: no pair begins that would end behind it, but for the first few,
    without which there is no verdict at all."""
    keep_going: bool = False
    """Whether to go on to the last pair once the call is clear."""
    end: float = math.inf
    """On the monotonic clock: the first few pairs begin if all of them would end before it."""
    expected: float = 0.0
    """Seconds of a pair, as far as is known before the first one."""


@dataclass(slots=True)
class Sample:
    """The runs of one side."""

    values: list[float] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class Measured:
    """What the pairs came to."""

    ratios: list[float] = field(default_factory=list)
    before: Sample = field(default_factory=Sample)
    after: Sample = field(default_factory=Sample)
    order: list[tuple[str, float]] = field(default_factory=list)
    """Every run as it came: which side, and its value."""
    estimate: Estimate | None = None
    failed: Run | None = None
    """A run of the variant that failed twice."""
    broken: Run | None = None
    """A run of the baseline that failed twice."""
    ran_out: bool = False
    pair_seconds: float = 0.0
    """How long a pair took, on average."""

    @property
    def floor(self) -> float | None:
        """The spread of neighbouring runs of one side: what this machine cannot tell apart."""
        neighbours = zip(self.order, self.order[1:], strict=False)
        same = [math.log(b / a) for (x, a), (y, b) in neighbours if x == y]
        return statistics.pstdev(same, 0.0) if len(same) > 1 else None


class Pairs:
    """Measures a variant against a baseline."""

    def __init__(
        self,
        runner: Runner,
        baseline: Variant,
        variant: Variant,
        setting: Setting,
        measure: Measure,
        heard: Callable[[Measured], None] = lambda _: None,
        turns: Setting | None = None,
    ) -> None:
        """With `turns` both live at once and take turns, if that works."""
        self._runner = runner
        self._sides = {"A": baseline, "B": variant}
        self._setting = setting
        self._measure = measure
        self._heard = heard
        self.turns = turns
        """None where the sides run one after the other; a duet that fails ends in that."""
        self._found = Measured()

    def measure(self, rule: Rule) -> Measured:
        """Run pairs until the call is clear, the pairs are used up or the time is."""
        found, times = self._found, [0.0]
        moments = looks(rule.pairs)
        if _is_hopeless(rule):
            found.ran_out, found.pair_seconds = True, rule.expected
            return found
        while len(found.ratios) < (moments[-1] if moments else 0):
            begun = time.monotonic()
            if not _is_time(rule, begun, len(found.ratios), times):
                found.ran_out = True
                break
            if not self._add_pair(len(found.ratios)):
                break
            times.append(time.monotonic() - begun)
            found.pair_seconds = sum(times) / (len(times) - 1)
            if len(found.ratios) in moments:
                found.estimate = estimate(found.ratios, rule.confidence, rule.effect)
            self._heard(found)
            if _is_clear(found) and not rule.keep_going:
                break
        if not _is_clear(found) and len(found.ratios) >= FEWEST:
            found.estimate = estimate(found.ratios, rule.confidence, rule.effect, last=True)
        return found

    def _add_pair(self, number: int) -> bool:
        """One pair; the order of its sides turns from pair to pair."""
        order = "AB" if number % 2 == 0 else "BA"
        if self.turns is not None:
            if self._add_duet(self.turns, order):
                return True
            self.turns = None
        values: dict[str, float] = {}
        for side in order:
            value = self._value(side)
            if value is None:
                return False
            values[side] = value
        runs = self._found.before.runs[-1], self._found.after.runs[-1]
        self._found.ratios.append(self._ratio(*runs, math.log(values["A"] / values["B"])))
        return True

    def _add_duet(self, turns: Setting, order: str) -> bool:
        """One restart of both; a duet that fails is tried once more."""
        for _ in range(2):
            begun = self._runner.duet([self._sides[side] for side in order], turns)
            if any(run.failed for run in begun) or self._measure.of_turns is None:
                continue
            runs = dict(zip(order, begun, strict=True))
            values = {side: self._measure.of_turns(runs[side]) for side in order}
            ratio = interleaved.log_ratio(values["A"], values["B"])
            if ratio is not None:
                self._found.ratios.append(self._ratio(runs["A"], runs["B"], ratio))
                self._keep(runs, values)
                return True
        return False

    def _ratio(self, before: Run, after: Run, plain: float) -> float:
        compare = self._measure.log_ratio
        return plain if compare is None else compare(before, after)

    def _keep(self, runs: Mapping[str, Run], values: Mapping[str, Sequence[float]]) -> None:
        """Keep the runs of a duet; sides are in the order of their first turns."""
        samples = {"A": self._found.before, "B": self._found.after}
        for side, steps in values.items():
            samples[side].values.append(statistics.fmean(steps))
            samples[side].runs.append(runs[side])
        for number in range(interleaved.SLICES):
            sides = list(values) if number % 2 == 0 else list(values)[::-1]
            self._found.order += [(side, values[side][number]) for side in sides]

    def _value(self, side: str) -> float | None:
        """The value of one run; a run that fails is tried once more."""
        for _ in range(2):
            run = self._runner.run(self._sides[side], self._setting)
            value = None if run.failed else self._measure.of_run(run)
            if value is not None and value > 0:
                sample = self._found.before if side == "A" else self._found.after
                sample.values.append(value)
                sample.runs.append(run)
                self._found.order.append((side, value))
                return value
        if side == "A":
            self._found.broken = run
        else:
            self._found.failed = run
        return None


def _is_time(rule: Rule, now: float, count: int, times: Sequence[float]) -> bool:
    """Whether a further pair may begin; `times` are those of the pairs so far."""
    if now + max(times) <= rule.deadline:
        return True
    expected = sum(times) / max(1, len(times) - 1)
    return count < FEWEST and now + (FEWEST - count) * expected <= rule.end


def _is_hopeless(rule: Rule) -> bool:
    """Whether the first few pairs would not end in time even with a fix that is infinitely fast."""
    return time.monotonic() + FEWEST * rule.expected / 2 > rule.end


def _is_clear(found: Measured) -> bool:
    return found.estimate is not None and found.estimate.call is not Call.UNDECIDED


def step_seconds(run: Run) -> float | None:
    """Seconds a step, over the whole window."""
    return run.step_seconds


def first_batch_seconds(run: Run) -> float | None:
    """Seconds from the start of the program to its first batch; of the slowest rank."""
    times = [r.first_batch_seconds for r in run.records if r.first_batch_seconds is not None]
    return max(times, default=None)


def peak_bytes(run: Run) -> float | None:
    """The most memory that the whole family of processes used."""
    return float(run.memory.peak_total) or None


STEP = Measure(step_seconds, interleaved.slices)
EPOCH = Measure(epoch_seconds, epoch_slices, log_ratio)
FIRST_BATCH = Measure(first_batch_seconds)
MEMORY = Measure(peak_bytes)
