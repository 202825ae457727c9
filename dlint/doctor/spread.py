"""What many times come to: their mean, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_FEWEST = {"p50": 1, "p95": 20, "p99": 100}
"""How many values a percentile is told of."""


class Spread(NamedTuple):
    """Seconds of something that is done again and again."""

    mean: float
    p50: float | None
    p95: float | None
    p99: float | None
    """Percentiles; None where there were too few values for them."""

    def scaled(self, factor: float) -> Spread:
        """The same, with all of it longer or shorter."""
        return Spread(*(None if x is None else x * factor for x in self))  # type: ignore[arg-type]


def spread(values: Sequence[float]) -> Spread:
    """The spread of some values; of none, zero."""
    if not values:
        return Spread(0.0, None, None, None)
    ordered = sorted(values)
    return Spread(sum(ordered) / len(ordered), *(_at(ordered, name) for name in _FEWEST))


def widest(spreads: Sequence[Spread]) -> Spread:
    """The largest of each number: ranks go as fast as the slowest."""
    columns = [[x for x in column if x is not None] for column in zip(*spreads, strict=True)]
    return Spread(*(max(column) if column else None for column in columns))  # type: ignore[arg-type]


def _at(ordered: Sequence[float], name: str) -> float | None:
    if len(ordered) < _FEWEST[name]:
        return None
    share = int(name[1:]) / 100
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
