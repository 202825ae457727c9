"""Results kept in the project, to be shown beside findings later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dlint.reports.measured import FOLDER, GAINED, Measurement, write
from dlint.verify.judge.kept import Comparison, Kept, machine_of
from dlint.verify.judge.results import Mode, Outcome, Result
from dlint.verify.judge.statistics import CONFIDENCE, estimate
from dlint.verify.plan.candidates import Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.report import words
from dlint.verify.report.json import data
from dlint.workspace.reading import Sources

_FOLDER = Path(".dlint") / "verify"
_UNITS = {**GAINED, "step": "a step", "epoch": "an epoch", "boundary": "an epoch"}
_OPEN = "inconclusive"


def save(outcome: Outcome, root: Path, sources: Sources) -> None:
    """Keep each result in a file of its own, named by script, fix and environment; and what a
    check shows of it in another.

    A project that cannot be written to keeps nothing.
    """
    everything = data(outcome)
    machine = machine_of(outcome.environment)
    with suppress(OSError):
        folder = root / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        for result, fix in zip(outcome.results, everything["fixes"], strict=True):
            kept = {**everything, "fixes": [fix], "not_tried": []}
            name = _address(outcome, result, fix, machine)
            if result.verdict.value == _OPEN and _is_decided(folder / f"{name}.json"):
                continue
            (folder / f"{name}.json").write_text(json.dumps(kept), "utf-8")
            if result.mode is Mode.ALONE and result.candidates[0].code:
                measurement = _measurement(outcome, result, root, sources)
                write(root / FOLDER, name, measurement)


def _is_decided(path: Path) -> bool:
    """Whether a verdict is kept there; one that says nothing does not take its place."""
    with suppress(OSError, ValueError, KeyError, IndexError, TypeError):
        return bool(json.loads(path.read_text("utf-8"))["fixes"][0]["verdict"] != _OPEN)
    return False


def listed(root: Path) -> Iterator[str]:
    """What is kept in a project, a line each: verdicts, and pairs without one."""
    for path in sorted((root / _FOLDER).glob("*.json")):
        with suppress(OSError, ValueError, KeyError, IndexError, TypeError):
            kept = json.loads(path.read_text("utf-8"))
            (fix,) = kept["fixes"]
            tried = fix["name"] if fix["mode"] == Mode.ALONE else f"{fix['name']} ({fix['mode']})"
            facts = {**fix, "observable": fix["details"].get("observable")}
            yield _line(kept["program"], tried, kept["when"], facts)
    for comparison in Kept(root).comparisons():
        found = estimate(comparison.pairs, CONFIDENCE, 0.03)._asdict() if comparison.pairs else {}
        when = comparison.days[-1][0] if comparison.days else ""
        facts = {**found, "verdict": _counted(comparison), "observable": comparison.unit}
        yield _line(comparison.program, comparison.name, when, facts)


def _counted(comparison: Comparison) -> str:
    """How many pairs are kept, and of how many days: several runs of a day count as one."""
    days = {when[:10] for when, _ in comparison.days}
    counts = ((len(comparison.pairs), "pair"), (len(days), "day"))
    return " of ".join(f"{number} {word}{'s' * (number != 1)}" for number, word in counts)


def _line(program: str, fix: str, when: str, found: Mapping[str, Any]) -> str:
    numbers = ""
    if found.get("speedup") is not None:
        kind = str(found.get("observable"))
        gained = f"{_UNITS.get(kind, '')} {found['speedup']:.2f}x".strip()
        numbers = f", {gained} ({found['low']:.2f}..{found['high']:.2f})"
    return f"{when[:10]}  {program}  {fix}: {found['verdict']}{numbers}"


def _measurement(outcome: Outcome, result: Result, root: Path, sources: Sources) -> Measurement:
    facts, found, candidate = outcome.environment, result.estimate, result.candidates[0]
    return Measurement(
        rule=candidate.rule,
        fix=candidate.name,
        verdict=result.verdict.value,
        program=outcome.program,
        machine=str(facts.get("gpu") or facts.get("cpu") or "this machine"),
        torch=str(facts.get("torch")),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        speedup=None if found is None else found.speedup,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        observable=words.observable(result),
        step=_step(result),
        places=tuple(_place(spot, root, sources) for spot in candidate.spots),
    )


def _step(result: Result) -> float | None:
    """What a step gains, where an epoch was judged."""
    step: dict[str, float] | None = result.details.get("step")
    judged = words.observable(result) == Observable.STEP
    return None if step is None or judged else step["speedup"]


def _place(spot: Spot, root: Path, sources: Sources) -> tuple[str, str]:
    path = Path(spot.filename)
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return name.as_posix(), sources.get(spot.filename).line(spot.row).strip()


def _address(
    outcome: Outcome, result: Result, fix: dict[str, Any], machine: Mapping[str, Any]
) -> str:
    """A name made of what the result holds for: the texts, not their time."""
    texts = []
    tried = [fix["name"], [candidate.patched for candidate in result.candidates]]
    for path in sorted({place["filename"] for place in fix["places"]}):
        with suppress(OSError):
            texts.append(hashlib.sha256(Path(path).read_bytes()).hexdigest())
    key = [outcome.command[1:], tried, fix["mode"], fix["places"], texts, machine]
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]
