"""Whether a loop waits for batches that are made, but not yet handed over."""

from __future__ import annotations

from statistics import median

from dlint.verify.measure import windows
from dlint.verify.run.runner import Run

_CLEAR = 0.5
"""The share of its wait under which making a batch is what the loop does not wait for."""


def waits_for_handing(run: Run) -> bool:
    """Whether the loop usually waits twice as long for a batch as a worker takes to make one: what
    it waits for is their way out of the worker, which more workers do not shorten. Without
    workers it would only wait for the making."""
    loader, waits = run.training, windows.waits(run)
    if loader is None or not loader.workers or not waits:
        return False
    made = [run.making[pid] for pid in loader.worker_pids if pid in run.making]
    count = sum(number for number, _ in made)
    seconds = sum(seconds for _, seconds in made)
    return count > 0 and seconds / count < _CLEAR * median(waits)
