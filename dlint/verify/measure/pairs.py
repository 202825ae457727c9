"""Pairs of runs in the order ABBA, looked at after each, until they say something."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dlint.verify.judge.statistics import FEWEST, Decision, Estimate, Pair, Start, estimate
from dlint.verify.measure import windows
from dlint.verify.measure.epochs import epoch_blocks, equal_steps
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant

Blocks = Sequence[float]
"""Seconds (or bytes) of the same work, one for each part of a window; none if a run gave none."""
FEWEST_APART = 3
"""Runs that follow each other: what slows a machine down may hit two of one side in a row."""
_LEAST_LIMIT = 5.0
"""Seconds that a run may take at least, once training has begun."""
_GOLDEN = (math.sqrt(5) - 1) / 2


class Measure(NamedTuple):
    """What runs are judged by; less is better."""

    blocks: Callable[[Run], Blocks]
    together: Callable[[Run, Run], tuple[Blocks, Blocks]] | None = None
    """The same of two runs, where one has to do with the other."""
    turns: bool = False
    """Whether the two sides may take turns."""


class Rule(NamedTuple):
    """How pairs are judged."""

    confidence: float
    effect: float
    pairs: int
    deadline: float
    """On the monotonic clock: no pair begins that would end behind it, but for the first few,
    without which nothing can be said."""
    keep_going: bool = False
    """Whether to go on to the last pair once the call is clear."""
    end: float = math.inf
    """On the monotonic clock: the first few pairs begin if all of them would end before it."""
    expected: float = 0.0
    """Seconds of a pair, as far as is known before the first one."""
    earlier: tuple[Pair, ...] = ()
    """Pairs of the same comparison that were measured before."""
    start: Start | None = None
    """What is known of how far starts lie apart."""
    jitter: int = 0
    """Steps by which windows begin later, at most: what comes every so many steps would else
    always or never be in one."""


@dataclass(slots=True)
class Sample:
    """The runs of one side."""

    values: list[float] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class Measured:
    """What the pairs came to."""

    pairs: list[Pair] = field(default_factory=list)
    earlier: tuple[Pair, ...] = ()
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
    def all(self) -> list[Pair]:
        """The pairs, with those of earlier days."""
        return [*self.earlier, *self.pairs]

    @property
    def ratios(self) -> list[float]:
        """The logarithms of the ratios of all of them."""
        return [pair.ratio for pair in self.all]

    @property
    def floor(self) -> float | None:
        """The spread of neighbouring runs of one side: what this machine cannot tell apart."""
        neighbours = zip(self.order, self.order[1:], strict=False)
        same = [math.log(b / a) for (x, a), (y, b) in neighbours if x == y]
        return statistics.pstdev(same, 0.0) if len(same) > 1 else None


class Beside(NamedTuple):
    """One more couple that begins with the first restarts, for another end."""

    setting: RunConfig
    take: Callable[[Run, Run], None]
    """What is done with the two runs, where neither failed."""


class Pairs:
    """Measures a variant against a baseline."""

    def __init__(
        self,
        runner: Runner,
        baseline: Variant,
        variant: Variant,
        setting: RunConfig,
        measure: Measure,
        on_progress: Callable[[Measured], None] = lambda _: None,
        turns: RunConfig | None = None,
        judged: Callable[[Measured, Rule], Estimate | None] | None = None,
        couples: int = 1,
        beside: Beside | None = None,
    ) -> None:
        """With `turns` both live at once and take turns, if that works; so many couples begin
        together. `judged` says what the pairs come to, where that is more than their ratio."""
        self._runner = runner
        self._sides = {"A": baseline, "B": variant}
        self._setting = setting
        self._measure = measure
        self._on_progress = on_progress
        self._judged = judged or plain
        self._couples, self._beside = couples, beside
        self.turns = turns
        """None where the sides run one after the other; a duet that fails ends in that."""
        self.found = Measured()
        """What was measured so far."""

    @property
    def fewest(self) -> int:
        """Pairs of this design under which nothing is said."""
        return FEWEST if self.turns is not None else FEWEST_APART

    def measure(self, rule: Rule) -> Measured:
        """Run pairs until the call is clear, the pairs are used up or the time is."""
        found, times = self.found, [0.0]
        self._take_up(rule)
        if self._is_hopeless(rule):
            found.ran_out, found.pair_seconds = True, rule.expected
            return found
        while len(found.pairs) < rule.pairs and (rule.keep_going or not _is_clear(found)):
            begun = time.monotonic()
            if not self._is_time(rule, begun, times):
                found.ran_out = True
                break
            count = len(found.pairs)
            if not self._add_pairs(rule, max(*times, rule.expected)):
                break
            added = len(found.pairs) - count
            times += [(time.monotonic() - begun) / added] * added
            found.pair_seconds = sum(times) / (len(times) - 1)
            self._judge(rule)
            self._on_progress(found)
        return found

    def _take_up(self, rule: Rule) -> None:
        """Begin with what was measured before."""
        self.found.earlier = rule.earlier
        self._judge(rule)

    def _judge(self, rule: Rule) -> None:
        if not self.found.all:
            return
        known = self._judged(self.found, rule)
        if known is not None and len(self.found.all) < self.fewest:
            known = known._replace(call=Decision.UNDECIDED)
        self.found.estimate = known

    def _add_pairs(self, rule: Rule, each: float) -> bool:
        """One pair, or several that take `each` seconds and begin together."""
        if self.turns is not None:
            if self._add_duets(self.turns, rule, each):
                return True
            if _is_over(rule):
                self.found.ran_out = True
                return False
            self.turns = None
        number = len(self.found.pairs)
        for side in _order(number):
            if not self._add_run(side, number, rule):
                return False
        runs = self.found.before.runs[-1], self.found.after.runs[-1]
        self.found.pairs.append(self._pair(*runs))
        return True

    def _add_duets(self, turns: RunConfig, rule: Rule, each: float) -> bool:
        """Restarts of both; where none gives a pair, one is tried once more."""
        first = len(self.found.pairs)
        self._run_beside(rule, alone=self._couples < 2)
        numbers = range(first, first + self._together(rule, each))
        for again in (False, True):
            tried = numbers[:1] if again else numbers
            settings = [_bounded(turns, number, rule) for number in tried]
            for number, runs in zip(tried, self._restart(tried, settings, rule), strict=True):
                self._take_duet(turns, _order(number), runs)
            if len(self.found.pairs) < first + len(tried):
                self._couples = 1  # there may be no room for more
            if len(self.found.pairs) > first:
                return True
        return False

    def _restart(
        self, numbers: Sequence[int], settings: Sequence[RunConfig], rule: Rule
    ) -> list[list[Run]]:
        """Restarts of both, and beside the first ones what was asked for."""
        couples = [
            ([self._sides[side] for side in _order(number)], setting)
            for number, setting in zip(numbers, settings, strict=True)
        ]
        beside, self._beside = self._beside, None
        if beside is None:
            return self._runner.duets(couples)
        sides = list(self._sides.values())
        *runs, others = self._runner.duets([*couples, (sides, _bounded(beside.setting, 0, rule))])
        if not any(run.failed for run in others):
            beside.take(others[0], others[1])
        return runs

    def _run_beside(self, rule: Rule, alone: bool) -> None:
        """Run what was asked for before the first restarts, where there is no room beside them."""
        if alone and self._beside is not None:
            self._restart((), (), rule)

    def _together(self, rule: Rule, each: float) -> int:
        """How many restarts begin together: no more than there is time for, or than a call
        lacks."""
        missing = self.fewest - len(self.found.all)
        now = time.monotonic()
        fitting = (rule.deadline - now) / each if each else math.inf
        lacking = missing if now + missing * each <= rule.end else 1
        room = self._couples - (self._beside is not None)
        wanted = missing if missing > 0 else FEWEST
        most = min(wanted, room, rule.pairs - len(self.found.pairs))
        return max(1, int(min(most, max(fitting, lacking))))

    def _take_duet(self, turns: RunConfig, order: str, begun: Sequence[Run]) -> None:
        """The pair that a restart of both gave, if it did."""
        if any(run.failed for run in begun):
            return
        runs = dict(zip(order, begun, strict=True))
        values = {side: self._measure.blocks(runs[side]) for side in order}
        if all(len(blocks) == turns.turns and min(blocks) > 0 for blocks in values.values()):
            self.found.pairs.append(self._pair(runs["A"], runs["B"]))
            self._keep(runs, values)

    def _pair(self, before: Run, after: Run) -> Pair:
        """Two runs as a pair. Where they have other numbers of blocks, only their means compare."""
        measure, day = self._measure, _day(self.found)
        if measure.together is not None:
            one, two = measure.together(before, after)
        else:
            one, two = measure.blocks(before), measure.blocks(after)
        if len(one) != len(two):
            one, two = [statistics.fmean(one)], [statistics.fmean(two)]
        return Pair(tuple(one), tuple(two), day)

    def _keep(self, runs: Mapping[str, Run], values: Mapping[str, Blocks]) -> None:
        """Keep the runs of a duet; sides are in the order of their first turns."""
        samples = {"A": self.found.before, "B": self.found.after}
        for side, blocks in values.items():
            samples[side].values.append(statistics.fmean(blocks))
            samples[side].runs.append(runs[side])
        for number in range(len(values["A"])):
            sides = list(values) if number % 2 == 0 else list(values)[::-1]
            self.found.order += [(side, values[side][number]) for side in sides]

    def _add_run(self, side: str, number: int, rule: Rule) -> bool:
        """One run; one that fails is tried once more, unless it ran out of time."""
        for _ in range(2):
            run = self._runner.run(self._sides[side], _bounded(self._setting, number, rule))
            if run.over is not None and _is_over(rule):
                self.found.ran_out = True
                return False
            blocks = () if run.failed else self._measure.blocks(run)
            if blocks and min(blocks) > 0:
                sample = self.found.before if side == "A" else self.found.after
                sample.values.append(statistics.fmean(blocks))
                sample.runs.append(run)
                self.found.order.append((side, sample.values[-1]))
                return True
        if side == "A":
            self.found.broken = run
        else:
            self.found.failed = run
        return False

    def _is_time(self, rule: Rule, now: float, times: Sequence[float]) -> bool:
        """Whether a further pair may begin; `times` are those of the pairs so far."""
        if now + max(*times, rule.expected) <= rule.deadline:
            return True
        expected = sum(times) / (len(times) - 1) if len(times) > 1 else rule.expected
        missing = self.fewest - len(self.found.all)
        return missing > 0 and now + missing * expected <= rule.end

    def _is_hopeless(self, rule: Rule) -> bool:
        """Whether not one pair would end in time, even with a fix that is infinitely fast."""
        return time.monotonic() + rule.expected / 2 > rule.end


def plain(found: Measured, rule: Rule) -> Estimate | None:
    """The ratio of the pairs."""
    return estimate(found.all, rule.confidence, rule.effect, rule.start)


def _order(number: int) -> str:
    """Which side begins; it is the other one from pair to pair."""
    return "AB" if number % 2 == 0 else "BA"


def _day(found: Measured) -> int:
    """The number of this day, behind those of earlier pairs."""
    return max((pair.day for pair in found.earlier), default=-1) + 1


def _bounded(setting: RunConfig, number: int, rule: Rule) -> RunConfig:
    """The setting of a pair: its window begins later by some steps, and it does not go on behind
    the end of everything."""
    later = int(rule.jitter * (number * _GOLDEN % 1))
    left = max(_LEAST_LIMIT, rule.end - time.monotonic())
    return setting._replace(
        warmup=setting.warmup + later, limit=min(setting.limit, left), ends=rule.end
    )


def _is_over(rule: Rule) -> bool:
    return time.monotonic() >= rule.end - 1


def _is_clear(found: Measured) -> bool:
    return found.estimate is not None and found.estimate.call is not Decision.UNDECIDED


def first_batch_seconds(run: Run) -> float | None:
    """Seconds from the start of the program to its first batch; of the slowest rank."""
    times = [r.first_batch_seconds for r in run.records if r.first_batch_seconds is not None]
    return max(times, default=None)


def _of_start(run: Run) -> Blocks:
    seconds = first_batch_seconds(run)
    return () if seconds is None else (seconds,)


def _of_memory(run: Run) -> Blocks:
    """The most memory that the whole family of processes used."""
    return (float(run.memory.peak_total),) if run.memory.peak_total else ()


STEP = Measure(windows.block_seconds, turns=True)
EPOCH = Measure(epoch_blocks, turns=True)
BOUNDARY = Measure(epoch_blocks, equal_steps, turns=True)
"""Epochs, for a fix that acts where they begin."""
FIRST_BATCH = Measure(_of_start)
MEMORY = Measure(_of_memory)
