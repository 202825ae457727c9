"""From pairs to a speedup: a ratio of summed seconds, and an interval that holds at any time.

The unit is the pair of fresh processes (or the restart of a duet), never the step.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from dlint.verify.judge.sequence import Scatter, reach

FEWEST = 2
"""Pairs without which nothing can be said."""
MOST = 100
"""Pairs that one test may take."""
CONFIDENCE = 0.95
_MANY = 4
"""From so many fixes on, each is asked for more."""
_EQUAL = 1.7
"""`no effect` is an interval within this many times the smallest effect worth calling one."""
_POWER = statistics.NormalDist().inv_cdf(0.8)
_OWN_WEIGHT = 4.0
"""Degrees of freedom that the noise of all pairs has beside that of one day's."""
_LEAST_BLOCKS = 4


class Decision(StrEnum):
    """What the pairs say so far."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_EFFECT = "no effect"
    UNDECIDED = "undecided"


class Pair(NamedTuple):
    """One pair: what the same work took without the fix and with it, block by block."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    day: int = 0
    """Which of several measurements it belongs to: each has noise of its own."""

    @property
    def ratio(self) -> float:
        """The logarithm of the ratio of its sums."""
        return math.log(sum(self.before) / sum(self.after))


class Estimate(NamedTuple):
    """A speedup with its interval; above 1 the variant is better."""

    call: Decision
    speedup: float
    low: float
    high: float
    pairs: int
    spread: float
    """Standard deviation of the log ratio of a pair."""
    confidence: float
    """Of the interval, at whatever time one looks."""
    detectable: float
    """The smallest speedup that this many pairs would have found in four of five cases."""


class Start(NamedTuple):
    """How far starts of one program lie apart, from earlier measurements."""

    deviation: float
    degrees: float


def estimate(
    pairs: Sequence[Pair],
    confidence: float,
    effect: float,
    start: Start | None = None,
    doubt: float = 0.0,
) -> Estimate:
    """The estimate from at least one pair.

    It may be asked for after each pair, and a call may end the test or not: the confidence is that
    of all intervals together. `doubt` is what the logarithm of the ratio may be wrong by beside the
    noise of the pairs.
    """
    means = _Means(pairs)
    scatter = means.scatter()
    if start is not None:
        scatter = scatter._replace(start=start.deviation, weight=start.degrees)
    far = math.hypot(reach(means.count, scatter, 1 - confidence), doubt)
    error = math.sqrt(max(scatter.variance, scatter.blocks) / means.count)
    least = math.log1p(effect)
    low, high = means.log_ratio - far, means.log_ratio + far
    return Estimate(
        call=_call(means.log_ratio, low, high, least),
        speedup=math.exp(means.log_ratio),
        low=math.exp(max(low, -700.0)),
        high=math.exp(min(high, 700.0)),
        pairs=len(pairs),
        spread=math.sqrt(scatter.variance),
        confidence=confidence,
        detectable=math.exp(min(700.0, max(far + _POWER * error, least))),
    )


def foreseen(pairs: int, noise: float, confidence: float, effect: float) -> float:
    """The smallest speedup that so many pairs would find in four of five cases, if their logarithms
    scatter by `noise`."""
    far = reach(pairs, Scatter(noise**2, pairs - 1), 1 - confidence)
    return math.exp(min(700.0, max(far + _POWER * noise / math.sqrt(pairs), math.log1p(effect))))


class _Means:
    """The ratio of weighted sums of some pairs, and how each pair departs from it."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        scales = _scales(pairs)
        rows = [(_means(pair), 1 / scales[pair.day]) for pair in pairs]
        departures = _departures(rows)
        self._weights = _weights(pairs, departures)
        rows = [(m, s * w) for (m, s), w in zip(rows, self._weights, strict=True)]
        self._before = sum(m[0] * weight for m, weight in rows)
        self._after = sum(m[1] * weight for m, weight in rows)
        self._rows, self._pairs = rows, pairs
        self.log_ratio = math.log(self._before / self._after)
        total = sum(self._weights)
        self.count = total**2 / sum(w * w for w in self._weights)
        """How many pairs of equal weight would say as much."""

    def scatter(self) -> Scatter:
        """The noise of a pair: between pairs, and not less than what their blocks say."""
        count, departures = len(self._pairs), _departures(self._rows)
        between = sum(d * d for d in departures) / (count - 1) if count > 1 else 0.0
        share = [count / self._before, count / self._after]
        within = statistics.fmean(
            _within(pair, weight * share[0], weight * share[1])
            for pair, (_, weight) in zip(self._pairs, self._rows, strict=True)
        )
        # `count` pairs of unequal weights say as much as `self.count` of equal ones.
        ratio = self.count / count
        between, within = between * ratio, within * ratio
        return Scatter(max(between, within if count > 1 else 0.0), self.count - 1, within)


def _means(pair: Pair) -> tuple[float, float]:
    return statistics.fmean(pair.before), statistics.fmean(pair.after)


def _departures(rows: Sequence[tuple[tuple[float, float], float]]) -> list[float]:
    """How far each pair draws the logarithm of the ratio of sums, times the number of pairs."""
    before = sum(m[0] * weight for m, weight in rows) / len(rows)
    after = sum(m[1] * weight for m, weight in rows) / len(rows)
    return [weight * (m[0] / before - m[1] / after) for m, weight in rows]


def _scales(pairs: Sequence[Pair]) -> Mapping[int, float]:
    """How slow the machine was on each day; the seconds of another day are others."""
    by_day: dict[int, list[float]] = defaultdict(list)
    for pair in pairs:
        by_day[pair.day].append(sum(_means(pair)))
    return {day: statistics.fmean(sums) for day, sums in by_day.items()}


def _weights(pairs: Sequence[Pair], departures: Sequence[float]) -> list[float]:
    """Pairs of a noisy day count less; how noisy a day was is known by few pairs, and so drawn
    towards the noise of all."""
    if len({pair.day for pair in pairs}) < 2:
        return [1.0] * len(pairs)
    whole = sum(d * d for d in departures) / max(1, len(pairs) - 1)
    by_day: dict[int, list[float]] = defaultdict(list)
    for pair, departure in zip(pairs, departures, strict=True):
        by_day[pair.day].append(departure)
    noise = {day: _shrunk(own, whole) for day, own in by_day.items()}
    return [max(whole, 1e-18) / max(noise[pair.day], 1e-18) for pair in pairs]


def _shrunk(departures: Sequence[float], whole: float) -> float:
    degrees = len(departures) - 1
    own = statistics.variance(departures) if degrees else 0.0
    return (_OWN_WEIGHT * whole + degrees * own) / (_OWN_WEIGHT + degrees)


def _within(pair: Pair, before: float, after: float) -> float:
    """The variance of a pair as its blocks tell it, with the factors of both sides. Blocks that
    depend on each other tell too little: twice as long ones are asked, too."""
    blocks = [a * before - b * after for a, b in zip(pair.before, pair.after, strict=True)]
    found = 0.0
    while len(blocks) >= _LEAST_BLOCKS:
        found = max(found, statistics.variance(blocks) / len(blocks))
        blocks = [statistics.fmean(blocks[n : n + 2]) for n in range(0, len(blocks) - 1, 2)]
    return found


def _call(mean: float, low: float, high: float, least: float) -> Decision:
    equal = math.log1p(_EQUAL * math.expm1(least))
    if low > 0 and mean >= least:
        return Decision.FASTER
    if high < 0 and mean <= -least:
        return Decision.SLOWER
    if low >= -equal and high <= equal:
        return Decision.NO_EFFECT
    return Decision.UNDECIDED


def confidence_for(tests: int) -> float:
    """The confidence of each interval: more where several fixes are tried."""
    return CONFIDENCE if tests < _MANY else (1 + CONFIDENCE) / 2
