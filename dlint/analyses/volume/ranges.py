"""Ranges: a number that is known to lie between two others.

The lattice is that of intervals, with None for *not known* on top: whatever is done with None is
None. Values that hold only by default are named in `assumed`, and stay named in all that rests on
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both included."""

    low: float
    high: float
    assumed: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high, _named(self, other))

    def __sub__(self, other: Range) -> Range:
        return Range(self.low - other.high, self.high - other.low, _named(self, other))

    def __mul__(self, other: Range) -> Range:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends), _named(self, other))

    def __truediv__(self, other: Range) -> Range | None:
        if other.low <= 0 <= other.high:
            return None
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends), _named(self, other))

    def __or__(self, other: Range) -> Range:
        """The least range that holds both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Range(low, high, _named(self, other))

    def floor(self) -> Range:
        """Rounded down."""
        return replace(self, low=math.floor(self.low), high=math.floor(self.high))

    def ceil(self) -> Range:
        """Rounded up."""
        return replace(self, low=math.ceil(self.low), high=math.ceil(self.high))

    def at_least(self, number: float) -> Range:
        """The greater of this and a number."""
        return replace(self, low=max(self.low, number), high=max(self.high, number))

    def at_most(self, other: Range) -> Range:
        """The lesser of this and another, which is not named where it is never the lesser."""
        if self.high <= other.low:
            return self
        return Range(min(self.low, other.low), min(self.high, other.high), _named(self, other))


def exactly(number: float) -> Range:
    """The range of one number."""
    return Range(number, number)


def _named(*ranges: Range) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in ranges for name in one.assumed))


def joined(ranges: Iterable[Range | None]) -> Range | None:
    """The least range that holds all of some; None where one is not known, or there are none."""
    found = list(ranges)
    known = [one for one in found if one is not None]
    return reduce(Range.__or__, known) if known and len(known) == len(found) else None


def product(ranges: Iterable[Range | None]) -> Range | None:
    """All numbers multiplied; None where one is not known."""
    result: Range | None = exactly(1)
    for one in ranges:
        result = None if result is None or one is None else result * one
    return result


def total(ranges: Iterable[Range | None]) -> Range | None:
    """All numbers added; None where one is not known."""
    result: Range | None = exactly(0)
    for one in ranges:
        result = None if result is None or one is None else result + one
    return result
