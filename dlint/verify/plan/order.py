"""In which order fixes are tried: what is only looked at, then what promises most."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.claims import Observable

LOOKED_AT = frozenset({Observable.FAULT, Observable.CRASH})
"""What is seen without timing anything."""
WAITS = 0.2
"""The share of its time that a loop waits for data from which on it is the loading that counts."""
_FED = 0.05
"""The share under which workers can bring next to nothing."""


def in_line(tried: Iterable[Candidate], share: float | None) -> list[Candidate]:
    """Candidates in the order of what they promise, for a loop that waits for data for this share
    of its time; None where that is not known."""
    return sorted(tried, key=lambda c: (c.observable not in LOOKED_AT, -_promise(c, share)))


def _promise(candidate: Candidate, share: float | None) -> float:
    """Above zero for workers where the loop waits, the most for as many as it takes; below zero
    where it does not wait."""
    workers = _workers(candidate)
    if share is None or not workers:
        return 0.0
    if share < WAITS:
        return -1.0 if share < _FED else 0.0
    needed = max(1.0, share / max(1e-3, 1 - share))
    return 1 / (1 + abs(math.log2(workers / needed)))


def _workers(candidate: Candidate) -> int:
    """How many workers it gives to loaders; zero where it is about something else."""
    values = [value for _, _, value in candidate.arguments().get("num_workers", ())]
    return max((int(value) for value in values if value.isdigit()), default=0)
