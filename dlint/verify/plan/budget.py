"""The time of a whole verification, and what of it a test may take."""

from __future__ import annotations

import math
import time

_USUAL = 180.0
_LEAST_LOOK, _LOOKS = 3.0, 12.0
"""Seconds of the shortest look, and how many looks would fill a budget."""
_RESERVE = 1.0
"""Seconds in which results are written."""


class Budget:
    """Wall time from the start of the command."""

    def __init__(self, seconds: float, began: float | None = None) -> None:
        """`began`: when the command was started, on the monotonic clock."""
        self.seconds = seconds
        self.began = time.monotonic() if began is None else began
        self.end = self.began + seconds - min(_RESERVE, seconds / 20)
        """When everything has to be through."""

    @property
    def smallest_guess(self) -> float:
        """What to try where not even a look came to its end."""
        return max(_USUAL, 4 * self.seconds)

    def of_a_look(self, longest: float) -> float:
        """Seconds that one look may train."""
        return min(longest, max(_LEAST_LOOK, self.seconds / _LOOKS))

    def left(self) -> float:
        """Seconds until the end."""
        return max(0.0, self.end - time.monotonic())

    def share(self, tests: int) -> float:
        """When the next of so many tests has to be through, on the monotonic clock."""
        return time.monotonic() + self.left() / max(1, tests)

    def fitting(self, needed: list[float]) -> int:
        """How many of some tests fit into what is left, the first ones first."""
        left, count = self.left(), 0
        for seconds in needed:
            left -= seconds
            if left < 0:
                break
            count += 1
        return count

    def enough_for(self, seconds: float) -> float:
        """The smallest budget, in whole steps, that leaves this many seconds from now on."""
        gone = time.monotonic() - self.began
        return math.ceil((gone + seconds + _RESERVE) * 1.1 / 5) * 5.0
