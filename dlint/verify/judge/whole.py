"""What a fix is worth to a person: the seconds of an epoch, measured or modelled, beside a step."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from dlint.verify.judge.statistics import Estimate, Pair, estimate
from dlint.verify.measure.epochs import boundaries
from dlint.verify.measure.pairs import Measured, Rule
from dlint.verify.run.runner import Run

_DOUBT = 0.02
"""How exactly a few epochs tell what an epoch takes beyond its steps, at best; as a share."""
_FAR = 3.0
"""Standard errors of it that an interval allows for."""


class Beyond(NamedTuple):
    """What an epoch takes beyond its steps: the start, validation, checkpoints, the end."""

    seconds: float
    error: float
    """Standard error of that."""


def beyond(found: Sequence[float]) -> Beyond | None:
    """The same from some epochs; None without any."""
    if not found:
        return None
    mean = statistics.fmean(found)
    spread = statistics.stdev(found) if len(found) > 1 else mean / 4
    return Beyond(mean, max(spread / len(found) ** 0.5, _DOUBT * mean))


def beyond_of(run: Run) -> Beyond | None:
    """The same from a run of several epochs; None where it failed or shows none."""
    return None if run.failed else beyond(boundaries(run))


class Modelled(NamedTuple):
    """An epoch made of so many steps, and of what it takes beyond them."""

    steps: int
    before: Beyond
    after: Beyond

    def estimate(self, found: Measured, rule: Rule) -> Estimate:
        """How much faster an epoch is, by how much faster a step is."""
        before, after = self.seconds(found)
        doubt = _FAR * math.hypot(self.before.error / before, self.after.error / after)
        pairs = [self._whole(pair) for pair in found.all]
        return estimate(pairs, rule.confidence, rule.effect, rule.start, doubt)

    def seconds(self, found: Measured) -> tuple[float, float]:
        """An epoch without the fix and with it."""
        wholes = [self._whole(pair) for pair in found.all]
        return (
            statistics.fmean(s for pair in wholes for s in pair.before),
            statistics.fmean(s for pair in wholes for s in pair.after),
        )

    def _whole(self, pair: Pair) -> Pair:
        return pair._replace(
            before=tuple(self.before.seconds + self.steps * s for s in pair.before),
            after=tuple(self.after.seconds + self.steps * s for s in pair.after),
        )
