"""From pairs of runs to a verdict. The unit is the pair of fresh processes, never the step."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

LOOKS = (4, 6, 8, 10, 12)
"""Numbers of pairs after which the data are looked at."""

FEWEST = LOOKS[0]
_SPENT = {4: 0.2, 6: 0.4, 8: 2 / 3, 10: 2 / 3, 12: 1.0}
"""What share of the error of the last look an earlier one may make: five looks at the full error
would call one program in twenty different from itself."""
_EQUAL = 1.7
"""`no effect` is an interval within this many times the smallest effect worth calling one."""
_POWER = 0.8


class Call(StrEnum):
    """What the pairs say so far."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_EFFECT = "no effect"
    UNDECIDED = "undecided"


class Estimate(NamedTuple):
    """A speedup with its interval; above 1 the variant is better."""

    call: Call
    speedup: float
    low: float
    high: float
    pairs: int
    spread: float
    """Standard deviation of the log ratio of a pair."""
    confidence: float
    """Of the interval."""
    detectable: float
    """The smallest speedup that this many pairs would have found in four of five cases."""


def looks(pairs: int) -> tuple[int, ...]:
    """When to look with at most this many pairs."""
    return tuple(look for look in LOOKS if look <= pairs)


def estimate(
    ratios: Sequence[float], confidence: float, effect: float, last: bool = False
) -> Estimate:
    """The estimate from log ratios of pairs, at least two of them.

    `confidence` is that of the last look; earlier ones ask for more. The last one is that at the
    last number of `LOOKS`, or the one at which the time is over: that depends on the clock and not
    on which side is faster, and what later looks would have added to the error is not spent.
    """
    count = len(ratios)
    confidence = 1 - (1 - confidence) * (1.0 if last else _SPENT.get(count, 1.0))
    mean, spread = statistics.fmean(ratios), statistics.stdev(ratios)
    error = spread / math.sqrt(count)
    reach = t_quantile(0.5 + confidence / 2, count - 1)
    low, high = mean - reach * error, mean + reach * error
    least = math.log1p(effect)
    found = (reach + t_quantile(_POWER, count - 1)) * error
    return Estimate(
        call=_call(mean, low, high, least),
        speedup=math.exp(mean),
        low=math.exp(low),
        high=math.exp(high),
        pairs=count,
        spread=spread,
        confidence=confidence,
        detectable=math.exp(max(found, least)),
    )


def _call(mean: float, low: float, high: float, least: float) -> Call:
    equal = math.log1p(_EQUAL * math.expm1(least))
    if low > 0 and mean >= least:
        return Call.FASTER
    if high < 0 and mean <= -least:
        return Call.SLOWER
    if low >= -equal and high <= equal:
        return Call.NO_EFFECT
    return Call.UNDECIDED


def confidence_for(tests: int) -> float:
    """The confidence of the last look: stricter where several fixes are tried."""
    return 0.985 if tests < 4 else 0.9925


def t_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t distribution, for a probability of at least one half."""
    low, high = 0.0, 1.0
    while t_distribution(high, degrees) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if t_distribution(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_distribution(value: float, degrees: int) -> float:
    """The distribution function of Student's t at a value that is not negative."""
    x = degrees / (degrees + value * value)
    return 1 - _incomplete_beta(degrees / 2, 0.5, x) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    gammas = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(gammas + a * math.log(x) + b * math.log1p(-x)) / a
    return front * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The fraction by the modified method of Lentz."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 300):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            total *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return total
