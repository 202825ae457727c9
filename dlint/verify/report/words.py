"""Words that all reports share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from dlint.reports.measured import GAINED
from dlint.verify.judge.compare import Kind
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.target_script import shown

LABELS = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.NO_EFFECT: "no effect",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.SLOWER: "slower",
    Verdict.CHANGES_RESULTS: "changes results",
    Verdict.FIXES_CRASH: "fixes a crash",
    Verdict.FIXES_FAULT: "fixes a fault",
    Verdict.NEEDS_GPU: "needs a GPU",
    Verdict.FAILED: "failed",
}

_TIMES = ("seconds a step", "seconds an epoch")
_TINY, _HUGE = 0.01, 100.0
_MOST_PAIRS = 24
_FELT = 0.001
"""Seconds under which it is not said how long something takes."""

COLUMNS = ("fix", "tried", "verdict", "of", "speedup", "interval", "pairs")
"""Intervals hold at whatever time a test ends."""


def row(result: Result) -> tuple[str, ...]:
    """One line of the table."""
    found = result.estimate
    if found is None:
        numbers = ("", "", "", "")
    else:
        interval = f"{_bound(found.low)}..{_bound(found.high)}"
        numbers = (gained(result), f"{found.speedup:.2f}x", interval, str(found.pairs))
    return (title(result), result.mode.value, LABELS[result.verdict], *numbers)


def observable(result: Result) -> str | None:
    """What a fix was judged by; None where nothing was timed."""
    found: str | None = result.details.get("observable")
    return found


def gained(result: Result) -> str:
    """What the speedup is of, in words."""
    return GAINED.get(observable(result) or "", "")


def headline(result: Result) -> str:
    """What is gained, with its interval; empty where nothing was timed."""
    found = result.estimate
    if found is None:
        return ""
    numbers = {"speedup": found.speedup, "low": found.low, "high": found.high}
    return f"{gained(result)} {_times(numbers)}".strip()


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
    return [*_worth(result), *found, *_pairs(result), *_parts(result)]


def _worth(result: Result) -> list[str]:
    """What an epoch and a step are worth; the verdict is that of the epoch, where there is one."""
    step, epoch = result.details.get("step"), result.details.get("epoch")
    said = []
    if epoch is not None:
        seconds = f"{epoch['before']:.3g} \u2192 {epoch['after']:.3g} s"
        steps = f", of {epoch['steps']} steps" if epoch["steps"] else ""
        said.append(f"an epoch {seconds}, {_times(epoch)}, {epoch['how']}{steps}")
    if step is not None and observable(result) in _TIMES:
        said.append(f"a step {_step_seconds(result)}{_times(step)}")
    return said


def _step_seconds(result: Result) -> str:
    """How long a step took, before and after."""
    sides = [(result.details.get(side) or {}).get("step_seconds") for side in ("before", "after")]
    if None in sides:
        return ""
    before, after = (1000 * seconds for seconds in sides if seconds is not None)
    return f"{before:.3g} \u2192 {after:.3g} ms, "


def _times(found: dict[str, Any]) -> str:
    low, high = (_bound(found[key]) for key in ("low", "high"))
    return f"{found['speedup']:.2f}x ({low}..{high})"


def _bound(value: float) -> str:
    """An end of an interval, which may be as far as one likes where so little is known."""
    return "0" if value < _TINY else "\u221e" if value > _HUGE else f"{value:.2f}"


def _pairs(result: Result) -> list[str]:
    """Every pair that was measured, in the order in which they came."""
    found = result.measured
    if found is None or not found.all:
        return []
    shown = [f"{math.exp(min(50.0, ratio)):.2f}x" for ratio in found.ratios]
    if len(shown) > _MOST_PAIRS:
        shown = [*shown[:_MOST_PAIRS], f"and {len(shown) - _MOST_PAIRS} more"]
    days = len({pair.day for pair in found.all})
    kept = f" ({len(found.earlier)} kept from before)" if found.earlier else ""
    what = "pairs" if days < 2 else f"pairs of {days} days"
    return [f"{what}{kept}: {', '.join(shown)}"]


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
        if key == "dataset_seconds" and not result.details.get("datasets_differ"):
            continue
        if abs(first - second) > 0.05 * max(first, second):
            found.append(f"{name}: {first:.3g} s, then {second:.3g} s")
    found += _waiting(before, after)
    return [*found, *_gpu_memory(before, after), *_device(before, after)]


def _waiting(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    first, second = before.get("wait_share"), after.get("wait_share")
    if first is None or second is None:
        return []
    ranks = len(before.get("wait_shares") or ())
    where = f" (of {ranks} ranks, rank {before['wait_rank']} waits most)" if ranks > 1 else ""
    return [f"waiting for data: {first:.0%} of the time, then {second:.0%}{where}"]


def _gpu_memory(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What the fullest GPU held, where that changed."""
    first, second = before.get("gpu_bytes"), after.get("gpu_bytes")
    if not first or not second or abs(first - second) < 0.02 * first:
        return []
    return [f"memory of the GPU: {first / 2**20:.0f} MiB, then {second / 2**20:.0f} MiB"]


def _device(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What the devices did, where they were profiled."""
    rows = list(zip(before.get("devices") or (), after.get("devices") or (), strict=False))
    found = []
    for one, two in rows:
        name = "the GPU" if len(rows) == 1 else f"GPU {one['number']}"
        if one["idle"] is not None and two["idle"] is not None:
            found.append(
                f"{name} without a kernel: {one['idle']:.0%} of the time, then {two['idle']:.0%}"
            )
        if max(one["communicating"], two["communicating"]) > 0:
            shares = [side["communicating"] / (side["seconds"] or 1.0) for side in (one, two)]
            found.append(f"{name} only exchanging: {shares[0]:.0%}, then {shares[1]:.0%}")
        copies = [_copies(side) for side in (one, two)]
        if any(copies):
            found.append(f"copies to {name}: {copies[0] or 'none'}, then {copies[1] or 'none'}")
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


def command(outcome: Outcome) -> str:
    """What was run, with its arguments; without what could be a secret."""
    words = shown(outcome.command)
    return " ".join([Path(words[0]).name, *words[1:]]) if words else outcome.program


def _confidence(outcome: Outcome) -> str:
    """That of the intervals, as it was used: more is asked where several fixes are tried."""
    used = {result.estimate.confidence for result in outcome.results if result.estimate}
    each = sorted(used) or [outcome.method.get("confidence", 0.0)]
    return " or ".join(f"{100 * confidence:.4g} %" for confidence in each)


def _floor(spread: float) -> str:
    return f"; two measurements of one program in a row differ by {spread:.1%}"


def scope(outcome: Outcome) -> str:
    """For what the numbers hold."""
    facts = outcome.environment
    device = facts.get("gpu") or facts.get("cpu") or "this machine"
    floor = "" if outcome.floor is None else _floor(outcome.floor)
    interval = f"; intervals of {_confidence(outcome)} at any time" if outcome.method else ""
    when = f" on {outcome.when[:10]}" if outcome.when else ""
    return (
        f"`{command(outcome)}`, measured{when} on {device}, torch {facts.get('torch')}, "
        f"warm page cache, "
        f"{outcome.runs} runs in {outcome.seconds:.0f} s{floor}{interval}."
    )
