"""How slow this machine is just now, for tests that hold what must not take for ever."""

from __future__ import annotations

import time

_STEPS = 300_000
_USUAL = 0.02
"""Seconds of CPU that the steps take on a machine of 2020 that does nothing else."""


def allowed(seconds: float) -> float:
    """Seconds of CPU that stand for so many on a machine that is not slow."""
    return seconds * max(1.0, _measured() / _USUAL)


def _measured() -> float:
    begun = time.process_time()
    total = 0
    for step in range(_STEPS):
        total += step
    return time.process_time() - begun
