"""What else the runs of a comparison show, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dlint.verify.judge.statistics import CONFIDENCE, FEWEST, Decision, Estimate, Pair, estimate
from dlint.verify.measure import pairs, windows
from dlint.verify.measure.epochs import epoch_model
from dlint.verify.measure.pairs import Measured, Sample
from dlint.verify.run.runner import Run

_TINY, _EFFECT = 1e-3, 0.05
"""Seconds under which it does not matter how long datasets take, and the share by which they have
to differ."""


def details_of(found: Measured) -> dict[str, Any]:
    """Medians of what else the runs say, before and after."""
    sides = {"before": found.before, "after": found.after}
    details: dict[str, Any] = {
        side: _of_side(sample) for side, sample in sides.items() if sample.runs
    }
    made = [[_making(run) for run in sample.runs] for sample in sides.values()]
    details["datasets_differ"] = _apart(*made)
    return details


def _of_side(sample: Sample) -> dict[str, Any]:
    models = [model for run in sample.runs if (model := epoch_model(run)) is not None]
    waits = _waits(sample.runs)
    rank = max(waits, key=waits.__getitem__, default=None)
    return {
        "wait_share": None if rank is None else waits[rank],
        "wait_rank": rank,
        "wait_shares": [waits[rank] for rank in sorted(waits)],
        "first_batch_seconds": _middle([pairs.first_batch_seconds(r) for r in sample.runs]),
        "step_seconds": _middle([r.step_seconds for r in sample.runs]),
        "boundary_seconds": _middle([max(0.0, m.boundary) for m in models]),
        "dataset_seconds": _middle([_making(run) for run in sample.runs]) or 0.0,
        "peak_bytes": max((r.memory.peak_total for r in sample.runs), default=0) or None,
        "worker_bytes": max((r.worker_bytes for r in sample.runs), default=0) or None,
        "gpu_bytes": max(map(_gpu_bytes, sample.runs), default=0) or None,
    }


def _gpu_bytes(run: Run) -> int:
    """The most memory of any device that the program held."""
    return max((m.peak for r in run.records for m in r.cuda_memory), default=0)


def _waits(runs: Sequence[Run]) -> dict[int, float]:
    """By rank, the share of its time that it waits for data. Ranks go in step: all are as fast as
    the one that waits, so that one is the matter."""
    by_rank: dict[int, list[float]] = {}
    for run in runs:
        for rank, share in windows.wait_shares(run).items():
            by_rank.setdefault(rank, []).append(share)
    return {rank: round(sum(found) / len(found), 4) for rank, found in by_rank.items()}


def _making(run: Run) -> float:
    """Seconds in constructors of datasets, of the slowest rank."""
    return max((sum(d.seconds for d in r.datasets) for r in run.records), default=0.0)


def _apart(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether the two differ by more than the noise of starts, by the test that verdicts rest
    on."""
    pairs = [Pair((max(a, _TINY),), (max(b, _TINY),)) for a, b in zip(one, two, strict=False)]
    if len(pairs) < FEWEST:
        return False
    return estimate(pairs, CONFIDENCE, _EFFECT).call in {Decision.FASTER, Decision.SLOWER}


def _middle(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return round(known[len(known) // 2], 6) if known else None


def interval(found: Estimate) -> dict[str, float]:
    """An estimate as it is reported."""
    return {"speedup": found.speedup, "low": found.low, "high": found.high}


def unseen_why(run: Run) -> str:
    """Why a run that was profiled shows no device, in the last words that it has for that."""
    if run.over is not None:
        return run.over
    said = [x for x in run.stderr.splitlines() if x.startswith("dlint: the prof") or "CUPTI" in x]
    return said[-1].removeprefix("dlint: ") if said else "the profiler of torch recorded nothing"
