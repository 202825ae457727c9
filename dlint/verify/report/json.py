"""Everything, with the raw samples, as JSON with a version."""

from __future__ import annotations

import json
from typing import Any

from dlint.verify.judge.results import Outcome, Result
from dlint.verify.measure import windows
from dlint.verify.measure.pairs import Sample
from dlint.verify.plan.target_script import shown
from dlint.verify.report import tuned
from dlint.verify.run.runner import Run

SCHEMA = 1
_MOST_STEPS = 2_000


def render(outcome: Outcome) -> str:
    """The outcome as JSON."""
    return json.dumps(data(outcome), indent=2, ensure_ascii=False) + "\n"


def data(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain values."""
    return {
        "schema": SCHEMA,
        "program": outcome.program,
        "command": shown(outcome.command),
        "fixes": [fix(result) for result in outcome.results],
        "tune": None if outcome.tuning is None else tuned.data(outcome.tuning),
        "not_tried": [
            {"rule": n.name, "filename": n.spot.filename, "row": n.spot.row, "why": n.why}
            for n in outcome.not_tried
        ],
        "notes": outcome.notes,
        "environment": outcome.environment,
        "method": {**outcome.method, "floor": outcome.floor},
        "runs": outcome.runs,
        "seconds": round(outcome.seconds, 1),
        "when": outcome.when,
    }


def fix(result: Result) -> dict[str, Any]:
    """One result; `rule`, `filename` and `row` are those of its first finding. `name` says what a
    trial sets, too."""
    first, found = result.candidates[0], result.estimate
    return {
        "rule": first.rule if len(result.candidates) == 1 else result.name,
        "name": result.name,
        "code": first.code,
        "filename": first.spots[0].filename,
        "row": first.spots[0].row,
        "title": first.title if len(result.candidates) == 1 else "",
        "diff": result.diff,
        "claim": first.claim,
        "mode": result.mode.value,
        "verdict": result.verdict.value,
        "why": result.why,
        "speedup": None if found is None else found.speedup,
        "low": None if found is None else found.low,
        "high": None if found is None else found.high,
        "pairs": 0 if found is None else found.pairs,
        "confidence": None if found is None else found.confidence,
        "detectable": None if found is None else found.detectable,
        "spread": None if found is None else found.spread,
        "results": None if result.equivalence is None else result.equivalence._asdict(),
        "rules": [candidate.rule for candidate in result.candidates],
        "places": [
            {"rule": c.rule, "filename": s.filename, "row": s.row, "message": s.message}
            for c in result.candidates
            for s in c.spots
        ],
        "applicability": first.applicability.value,
        "details": result.details,
        "samples": _samples(result),
        "stderr": result.stderr,
    }


def _samples(result: Result) -> dict[str, Any] | None:
    """The number of each run in the order in which they came, and the steps of one run a side."""
    found = result.measured
    if found is None:
        return None
    return {
        "log_ratios": found.ratios,
        "pairs": [
            {"day": pair.day, "before": list(pair.before), "after": list(pair.after)}
            for pair in found.all
        ],
        "runs": [{"side": side, "value": value} for side, value in found.order],
        "before": _side(found.before, result.looks and result.looks[0]),
        "after": _side(found.after, result.looks and result.looks[1]),
    }


def _side(sample: Sample, look: Run | None) -> dict[str, Any]:
    """The numbers of a side; its memory is that of a look, where that of timed runs was not
    sampled."""
    middle = sorted(range(len(sample.values)), key=sample.values.__getitem__)
    run = sample.runs[middle[len(middle) // 2]] if middle else None
    return {
        "values": sample.values,
        "steps": [] if run is None else windows.step_times(run)[:_MOST_STEPS],
        "waits": [] if run is None else windows.waits(run)[:_MOST_STEPS],
        "memory": _memory(run) or _memory(look),
    }


def _memory(run: Run | None) -> list[tuple[float, int]]:
    return [] if run is None else run.memory.trace[:_MOST_STEPS]
