"""What it costs to take a batch from a worker that has it ready."""

from __future__ import annotations

from dlint.doctor.fetching import Fetching
from dlint.doctor.spread import spread
from dlint.doctor.timeline import steps_of
from dlint.verify.measure.record import LoaderRecord, Record

_FEWEST = 8
"""Waits out of which the usual one is taken."""
_IDLE = 0.3
"""The share of its time that a worker has work under which it is not the making of batches that is
waited for."""


def handing(loader: LoaderRecord, record: Record, found: Fetching) -> float:
    """Seconds for which the loop waits for a batch that is ready: the usual wait of those steps
    at which some were; where none ever was though workers have little to do, that of all. 0 where
    that was not seen, as without workers."""
    steps, examined = steps_of(record, "window"), record.doctor
    if not loader.workers or steps is None or examined is None:
        return 0.0
    waits = {n: loader.given[n] - loader.entered[n] for n in steps.later()}
    depths = examined.depths
    first = examined.first_depth
    ready = [w for n, w in waits.items() if 0 <= n - first < len(depths) and depths[n - first] > 0]
    if len(ready) < _FEWEST and found.busy < _IDLE:
        ready = list(waits.values())
    return spread(ready).p50 or 0.0 if len(ready) >= _FEWEST else 0.0
