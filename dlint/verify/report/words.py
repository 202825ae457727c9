"""Words that all reports share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dlint.verify.judge.compare import Kind
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.plan.candidates import Candidate, Spot

LABELS = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.NO_EFFECT: "no effect",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.SLOWER: "slower",
    Verdict.CHANGES_RESULTS: "changes results",
    Verdict.MENDS_CRASH: "mends a crash",
    Verdict.MENDS_FAULT: "mends a fault",
    Verdict.NEEDS_GPU: "needs a GPU",
    Verdict.FAILED: "failed",
}

_FELT = 0.001
"""Seconds under which it is not said how long something takes."""

COLUMNS = ("fix", "tried", "verdict", "speedup", "interval", "pairs")
"""Intervals are those of the look at which a test ended."""


def row(result: Result) -> tuple[str, ...]:
    """One line of the table."""
    found = result.estimate
    if found is None:
        numbers = ("", "", "")
    else:
        interval = f"{found.low:.3f}..{found.high:.3f}"
        numbers = (f"{found.speedup:.3f}x", interval, str(found.pairs))
    return (title(result), result.mode.value, LABELS[result.verdict], *numbers)


def title(result: Result) -> str:
    """What was tried."""
    names = [candidate.name for candidate in result.candidates]
    if result.mode is Mode.TOGETHER:
        return f"all {len(names)} together"
    return names[0] if result.mode is Mode.ALONE else f"the others without {names[0]}"


def remarks(result: Result) -> list[str]:
    """What there is to say below the line."""
    found = [result.why] if result.why else []
    equivalence = result.equivalence
    if equivalence is not None and equivalence.kind not in {Kind.IDENTICAL, Kind.CHANGED}:
        why = f" ({equivalence.why})" if equivalence.why else ""
        found.append(f"results: {equivalence.kind.value}{why}")
    elif equivalence is not None and equivalence.kind is Kind.IDENTICAL:
        found.append("results: identical")
    if result.mode is Mode.WITHOUT and result.estimate is not None:
        found.append(_beside(result))
    return [*found, *_parts(result)]


def _beside(result: Result) -> str:
    if result.verdict is Verdict.CONFIRMED:
        return "it still pays beside the others"
    if result.verdict is Verdict.NO_EFFECT:
        return "beside the others it adds nothing"
    if result.verdict is Verdict.SLOWER:
        return "beside the others it costs time"
    return "whether it adds something beside the others could not be told"


def _parts(result: Result) -> list[str]:
    """The model of start, boundary and steps, where a fix acts on the first two."""
    before, after = result.details.get("before"), result.details.get("after")
    if not before or not after:
        return []
    found = []
    for key, name in (
        ("boundary_seconds", "each epoch beyond its steps"),
        ("dataset_seconds", "constructing datasets"),
    ):
        first, second = before.get(key), after.get(key)
        if first is None or second is None or max(first, second) < _FELT:
            continue
        if abs(first - second) > 0.05 * max(first, second):
            found.append(f"{name}: {first:.3g} s, then {second:.3g} s")
    first, second = before.get("wait_share"), after.get("wait_share")
    if first is not None and second is not None:
        found.append(f"waiting for data: {first:.0%} of the step, then {second:.0%}")
    return [*found, *_device(before.get("device"), after.get("device"))]


def _device(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    """What the device did, where it was profiled."""
    if before is None or after is None:
        return []
    found = [
        f"the GPU without a kernel: {before['idle']:.0%} of the time, then {after['idle']:.0%}"
    ]
    copies = [_copies(side) for side in (before, after)]
    if any(copies):
        found.append(f"copies to the GPU: {copies[0] or 'none'}, then {copies[1] or 'none'}")
    return found


def _copies(side: dict[str, Any]) -> str:
    kinds = ", ".join(f"{count} from {kind} memory" for kind, count in side["copies"].items())
    overlap = side["overlap"]
    return kinds if overlap is None else f"{kinds} ({overlap:.0%} of their time beside kernels)"


def detail(result: Result) -> str:
    """What the fix does, and where."""
    named = places(result.candidates[0])
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"{', '.join(named[:3])}{more}"


def places(candidate: Candidate) -> list[str]:
    """Where its findings stand, each row once."""
    return list(dict.fromkeys(place(spot) for spot in candidate.spots if spot.filename))


def place(spot: Spot) -> str:
    """Where a finding stands; below the working directory as the user names it."""
    path, here = Path(spot.filename), Path.cwd()
    name = path.relative_to(here) if path.is_relative_to(here) else spot.filename
    return f"{name}:{spot.row}"


def nothing(outcome: Outcome) -> str:
    """What is said where nothing was tried."""
    left = " that dlint can make the edit for" if outcome.not_tried else ""
    return (
        f"nothing to try: dlint finds nothing{left} in {outcome.program} and what it imports. "
        "`--fix-file` tries a change of yours, `--self-test` the noise of this machine."
    )


def _floor(spread: float) -> str:
    return f"; two measurements of one program in a row differ by {spread:.1%}"


def scope(outcome: Outcome) -> str:
    """For what the numbers hold."""
    facts = outcome.environment
    device = facts.get("gpu") or facts.get("cpu") or "this machine"
    floor = "" if outcome.floor is None else _floor(outcome.floor)
    return (
        f"Measured on {device}, torch {facts.get('torch')}, warm page cache, "
        f"{outcome.runs} runs in {outcome.seconds:.0f} s{floor}."
    )
