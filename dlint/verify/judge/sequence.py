"""Confidence sequences: intervals that may be looked at after every pair, for as long as one likes.

The t mixture: under any true value, the ratio of two likelihoods, one in which the mean is that
value and one in which it lies around it by some standard deviations (a normal prior), is a fair bet
against the value, whatever the scale of the noise. A bet that multiplies its stake by 1/error says
that the value is not the true one; that happens to the true one with a chance of no more than
`error` at any time (Ville's inequality), also when somebody stops because of what was seen and
goes on another day. (Lai 1976; Wang and Ramdas 2024, anytime-valid t-tests.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

_AROUND = 10.0
"""Variance of the prior of the mean, in variances of one pair: effects that are worth finding are
larger than the noise of a pair."""
START = 0.15
"""How far starts of one program may lie apart, as a share of its time, where nothing is known of
them; what the first few pairs are judged by beside their own scatter."""
_START_WEIGHT = 4.0
"""As many pairs that guess counts for."""
_BETS = 0.5
"""The share of the stake that bets on it; the rest assumes nothing."""
_STEPS = 40


class Scatter(NamedTuple):
    """What is known of the noise of one pair."""

    variance: float
    """Of a pair, from the pairs."""
    degrees: float
    """Degrees of freedom of that."""
    blocks: float = 0.0
    """The part of it that the blocks within a pair show."""
    start: float = START
    """Standard deviation between starts, from earlier measurements or as stated."""
    weight: float = _START_WEIGHT
    """Degrees of freedom of that."""


def reach(count: float, scatter: Scatter, error: float) -> float:
    """How far the interval extends from a mean of `count` pairs; infinite where so few pairs say
    nothing yet."""
    high = max(math.sqrt(scatter.variance + scatter.blocks), 1e-9)
    while evidence(high, count, scatter) < 1 / error:
        high *= 2
        if high > 1e3:
            return math.inf
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if evidence(middle, count, scatter) < 1 / error:
            low = middle
        else:
            high = middle
    return high


def evidence(distance: float, count: float, scatter: Scatter) -> float:
    """How many times its stake a bet has won against a value that lies so far from the mean."""
    own = _bet(distance, count, scatter.variance, scatter.degrees)
    stated = scatter.blocks + scatter.start**2
    degrees = scatter.degrees + scatter.weight
    pooled = (scatter.weight * stated + scatter.degrees * scatter.variance) / degrees
    return (1 - _BETS) * own + _BETS * _bet(distance, count, pooled, degrees)


def _bet(distance: float, count: float, variance: float, degrees: float) -> float:
    if degrees <= 0:
        return 1.0
    spread = 1 + count * _AROUND
    square = count * distance**2 / max(variance, 1e-18) / degrees
    ratio = math.log1p(square) - math.log1p(square / spread)
    return math.exp(min(700.0, (degrees + 1) / 2 * ratio - math.log(spread) / 2))
