"""A diagnosis as plain values, from which every other format is made; and as JSON."""

from __future__ import annotations

import json
from typing import Any

from dlint.doctor.ceiling import Ceiling
from dlint.doctor.diagnosis import Diagnosis
from dlint.doctor.fetching import Fetching, Queue
from dlint.doctor.remedies import Remedy
from dlint.doctor.timeline import EDGES, STAGES, TimeLine
from dlint.verify.plan.target_script import shown

SCHEMA = 1
_MOST_DEPTHS = 400


def render(found: dict[str, Any]) -> str:
    """The values as JSON."""
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def data(found: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain values; times are in seconds."""
    most, line = found.ceiling, found.line
    return {
        "schema": SCHEMA,
        "program": found.program,
        "command": shown(found.command),
        "answer": None if found.bound is None else found.bound._asdict(),
        "cautions": list(found.cautions),
        "ceiling": None if most is None else _ceiling(most),
        "step": None if line is None else _step(line),
        "epoch": None if line is None else _epoch(line),
        "ranks": [_rank(rank) for rank in found.ranks],
        "fetching": None if found.fetching is None else _fetching(found.fetching, found),
        "queue": None if found.queue is None else _queue(found.queue),
        "machine": None if found.machine is None else found.machine._asdict(),
        "tight": list(found.tight),
        "hazards": [
            {
                "kind": hazard.kind,
                "text": hazard.text,
                "information": hazard.information,
                "filename": None if hazard.place is None else hazard.place[0],
                "row": None if hazard.place is None else hazard.place[1],
            }
            for hazard in found.hazards
        ],
        "settings": None if found.settings is None else dict(found.settings),
        "trial": found.trial,
        "tune": found.tune,
        "remedies": [_remedy(remedy) for remedy in found.remedies],
        "failure": found.failure,
        "notes": found.notes,
        "environment": dict(found.environment),
        "runs": found.runs,
        "seconds": round(found.seconds, 1),
        "when": found.when,
    }


def _ceiling(most: Ceiling) -> dict[str, Any]:
    worked_out = {
        "gain": most.gain,
        "free_of_copies": most.free_of_copies,
        "gain_with_copies": most.gain_with_copies,
    }
    return _rounded({**most._asdict(), **worked_out})


def _step(line: TimeLine) -> dict[str, Any]:
    rows = {name: {**line.stages[name]._asdict(), "share": line.shares[name]} for name in STAGES}
    return {
        "steps": line.steps,
        "profiled": line.profiled,
        "batches": line.batches,
        "seconds": round(line.seconds, 3),
        "device": line.device,
        "total": _rounded(line.step._asdict()),
        "stages": {name: _rounded(row) for name, row in rows.items()},
    }


def _epoch(line: TimeLine) -> dict[str, Any]:
    rows = {name: {**line.edges[name]._asdict(), "share": line.shares[name]} for name in EDGES}
    return {"epochs": line.epochs, "edges": {name: _rounded(row) for name, row in rows.items()}}


def _rank(line: TimeLine) -> dict[str, Any]:
    means = {name: line.stages[name].mean for name in STAGES}
    return {"step": round(line.step.mean, 7), "stages": _rounded(means)}


def _fetching(fetching: Fetching, found: Diagnosis) -> dict[str, Any]:
    stages = {
        name: {"batch": round(s, 7), "sample": round(s / max(1.0, fetching.samples), 9)}
        for name, s in fetching.stages.items()
    }
    needed = None if found.ceiling is None else fetching.needed(found.ceiling.free_step)
    facts = {**fetching._asdict(), "sample": fetching.sample, "needed": needed}
    del facts["times"]
    return {**_rounded(facts), "stages": stages}


def _queue(queue: Queue) -> dict[str, Any]:
    """At most some hundred of its depths, evenly chosen."""
    stride = -(-len(queue.depths) // _MOST_DEPTHS)
    return _rounded({**queue._asdict(), "depths": list(queue.depths[::stride])})


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        **remedy._asdict(),
        "gain": None if remedy.gain is None else round(remedy.gain, 4),
        "acts_on": list(remedy.acts_on),
        "spots": [spot._asdict() for spot in remedy.spots],
    }


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 7) if isinstance(v, float) else v for k, v in values.items()}
