"""From a pair of variants to a verdict, by what the rule claims."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dlint.verify.judge.results import Result, Verdict
from dlint.verify.judge.statistics import FEWEST, Call, Estimate, estimate
from dlint.verify.measure import pairs, windows
from dlint.verify.measure.epochs import epoch_model
from dlint.verify.measure.pairs import Measure, Measured, Pairs, Rule, Statistic
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.plan.claims import Observable
from dlint.verify.report.watching import Watcher
from dlint.verify.run.runner import Run, Runner, Setting, Variant

if TYPE_CHECKING:
    from dlint.verify.session import Options

_PROFILED = 20
"""Steps of a run in which the device is profiled."""
_LEAST_WARMUP = 10

_VERDICTS = {
    Call.FASTER: Verdict.CONFIRMED,
    Call.SLOWER: Verdict.SLOWER,
    Call.NO_EFFECT: Verdict.NO_EFFECT,
    Call.UNDECIDED: Verdict.INCONCLUSIVE,
}


class Judge:
    """Times variants and says what the times mean."""

    def __init__(
        self,
        runner: Runner,
        known: windows.Pace,
        loaders: Sequence[LoaderRecord],
        options: Options,
        watcher: Watcher,
        end: float,
        notes: list[str],
    ) -> None:
        """`end`: when all tests have to be through, on the monotonic clock. `notes`: what is said
        to the user beside the results."""
        self._runner, self._known, self._options = runner, known, options
        self._loaders, self._watcher = loaders, watcher
        self._devices: dict[str, DeviceTime | None] = {}
        self._may_duet = options.may_duet and options.design == "duet"
        """Until a duet fails: there may be no room for both, or one of something they share."""
        self._end, self._notes = end, notes

    def judge(
        self, result: Result, before: Variant, after: Variant, confidence: float, deadline: float
    ) -> None:
        """Fill in the verdict of a result."""
        observable = judged_by(result)
        measure, setting, turns = self._windows(observable, deadline)
        turns = None if turns is None else self._affordable(setting, turns)
        if measure is pairs.STEP and observable is Observable.EPOCH:
            observable = Observable.STEP
        options = self._options
        rule = Rule(
            confidence,
            options.effect,
            options.pairs,
            deadline,
            options.keep_going,
            self._end,
            self._seconds(setting, turns),
        )
        what = f"timing: {result.name} ({result.mode})"

        def heard(found: Measured) -> None:
            self._watcher.doing(f"{what} {_progress(found, rule)}")

        self._watcher.doing(what)
        sides = Pairs(self._runner, before, after, setting, measure, heard, turns)
        found = sides.measure(rule)
        if measure is pairs.STEP and turns is not None and sides.turns is None:
            self._may_duet = False
        result.measured = found
        result.details = {
            "observable": observable.value,
            "design": "pairs" if sides.turns is None else "duet",
            "warmup": setting.warmup,
            "steps": (sides.turns or setting).steps,
            **_details(found),
        }
        self._conclude(result, found, rule)
        if observable is Observable.FIRST_BATCH:
            _weigh_steps(result, found, rule)
        elif observable is Observable.MEMORY:
            _weigh_memory(result, found, rule)
        self._add_devices(result, found, setting, (before, after))

    def _add_devices(
        self, result: Result, found: Measured, setting: Setting, sides: tuple[Variant, Variant]
    ) -> None:
        """What the device does before and after, each in a short run that is not timed."""
        record = found.before.runs[0].record if found.before.runs else None
        if result.estimate is None or record is None or not record.cuda_used:
            return
        if judged_by(result) is Observable.FIRST_BATCH:
            return
        for side, variant in zip(("before", "after"), sides, strict=True):
            device = self._device(variant, setting)
            if device is not None:
                result.details[side]["device"] = {
                    **device._asdict(),
                    "idle": device.idle,
                    "overlap": device.overlap,
                }

    def _device(self, variant: Variant, setting: Setting) -> DeviceTime | None:
        if variant.name not in self._devices:
            self._watcher.doing(f"profiling the device: {variant.name}")
            short = Setting(
                max(_LEAST_WARMUP, setting.warmup), _PROFILED, profile=True, limit=setting.limit
            )
            run = self._runner.run(variant, short)
            self._devices[variant.name] = run.device
            note = f"what the GPU does was not seen: {_unseen(run)}"
            if run.device is None and note not in self._notes:
                self._notes.append(note)
        return self._devices[variant.name]

    def _windows(
        self, observable: Observable, deadline: float
    ) -> tuple[Measure, Setting, Setting | None]:
        """The number that runs are judged by, the window, and the turns where both may live."""
        known, loaders, asked = self._known, self._loaders, self._options.window
        at_once = self._may_duet and observable in {Observable.STEP, Observable.EPOCH}
        budget = deadline - time.monotonic()
        seconds = windows.window_seconds(known, self._options.pairs, budget, at_once=at_once)
        if observable is Observable.EPOCH:
            setting = windows.of_epochs(known, loaders, seconds)
            if setting is not None:
                turns = windows.epoch_turns(known, loaders, seconds) if at_once else None
                return pairs.EPOCH, setting, turns
        if observable is Observable.MEMORY:  # the queue need only be full
            setting = windows.timed(known, loaders, asked, seconds, queues=1)
            return pairs.MEMORY, setting._replace(memory=True), None
        setting = windows.timed(known, loaders, asked, seconds)
        if observable is Observable.FIRST_BATCH:
            return pairs.FIRST_BATCH, setting, None
        turns = windows.turns(setting, known, loaders) if at_once else None
        return pairs.STEP, setting, turns

    def _affordable(self, setting: Setting, turns: Setting) -> Setting | None:
        """The turns; None where these take too long for the fewest pairs, and runs that follow each
        other take less: behind a long queue, each turn begins with many steps that do not count."""
        if not windows.suffice(self._known, turns):
            return None
        both, apart = self._seconds(setting, turns), self._seconds(setting, None)
        too_long = FEWEST * both > self._end - time.monotonic()
        return None if too_long and apart < both else turns

    def _seconds(self, setting: Setting, turns: Setting | None) -> float:
        """How long a pair will take, by what is known of the script as it is."""
        if turns is None:
            return windows.seconds_apart(self._known, setting)
        return windows.seconds_at_once(self._known, turns)

    def _conclude(self, result: Result, found: Measured, rule: Rule) -> None:
        if found.failed is not None:
            result.verdict = Verdict.FAILED
            result.why = f"with the fix, the script {_breach(found.failed)}"
            result.stderr = found.failed.stderr
        elif found.broken is not None:
            result.why = f"the script as it is {_breach(found.broken)}"
            result.stderr = found.broken.stderr
        elif found.estimate is None:
            result.why = _too_little(found)
        else:
            result.estimate = found.estimate
            result.verdict = _VERDICTS[found.estimate.call]
            result.why = _why(found.estimate, found.ran_out)


def _unseen(run: Run) -> str:
    """Why a run that was profiled shows no device, in the last words that it has for that."""
    if run.over is not None:
        return run.over
    said = [x for x in run.stderr.splitlines() if x.startswith("dlint: the prof") or "CUPTI" in x]
    return said[-1].removeprefix("dlint: ") if said else "the profiler of torch recorded nothing"


def _breach(run: Run) -> str:
    """Why a run gave nothing to judge by, twice."""
    if not run.failed:
        return "ended in two timed runs before there was something to measure"
    return f"failed in two timed runs: {run.over or f'exit code {run.code}'}"


def judged_by(result: Result) -> Observable:
    """What several fixes are judged by: their own measure if they share one, else the steps."""
    kinds = {candidate.observable for candidate in result.candidates}
    return kinds.pop() if len(kinds) == 1 else Observable.STEP


def _too_little(found: Measured) -> str:
    count = len(found.ratios)
    enough = f"{count or 'no'} pair{'s' if count > 1 else ''} of runs"
    known = found.pair_seconds > 0
    take = f", which take about {FEWEST * found.pair_seconds:.0f} s" if known else ""
    return f"the budget was enough for {enough}; there is no verdict under {FEWEST}{take}"


def _why(found: Estimate, ran_out: bool) -> str:
    if found.call is not Call.UNDECIDED:
        return ""
    end = "the budget ended" if ran_out else f"{found.pairs} pairs were run"
    return f"{end}; a speedup under {found.detectable:.2f}x could not have been told from noise"


def _weigh_steps(result: Result, found: Measured, rule: Rule) -> None:
    """A start that is faster may cost in every step: both are said, and the cost counts."""
    steps = secondary(found, pairs.step_seconds, rule)
    if steps is None:
        return
    result.details["step_speedup"] = _spoken(steps)
    if steps.call is Call.SLOWER:
        if result.verdict is Verdict.CONFIRMED and result.estimate is not None:
            result.why = f"the start is {result.estimate.speedup:.2f}x faster, but "
        result.verdict = Verdict.SLOWER
        result.why += f"each step takes {1 / steps.speedup:.2f}x as long"


def _weigh_memory(result: Result, found: Measured, rule: Rule) -> None:
    """Less memory is a fault mended; without it the steps decide."""
    steps = secondary(found, pairs.step_seconds, rule)
    if steps is not None:
        result.details["step_speedup"] = _spoken(steps)
    if result.verdict is Verdict.CONFIRMED and result.estimate is not None:
        result.verdict = Verdict.MENDS_FAULT
        result.why = f"all processes together use {result.estimate.speedup:.2f}x less memory"
    elif result.verdict is Verdict.SLOWER and result.estimate is not None:
        result.verdict = Verdict.NO_EFFECT
        result.why = f"it uses {1 / result.estimate.speedup:.2f}x the memory"


def secondary(found: Measured, statistic: Statistic, rule: Rule) -> Estimate | None:
    """The estimate of another number from the same pairs."""
    rows = zip(found.before.runs, found.after.runs, strict=False)
    values = [(statistic(a), statistic(b)) for a, b in rows]
    ratios = [math.log(a / b) for a, b in values if a and b]
    if len(ratios) < FEWEST:
        return None
    return estimate(ratios, rule.confidence, rule.effect)


def _spoken(found: Estimate) -> dict[str, float]:
    return {"speedup": found.speedup, "low": found.low, "high": found.high}


def _details(found: Measured) -> dict[str, Any]:
    """Medians of what else the runs say, before and after."""
    details: dict[str, Any] = {}
    for side, sample in (("before", found.before), ("after", found.after)):
        if not sample.runs:
            continue
        waits = [wait for run in sample.runs for wait in windows.waits(run)]
        spans = [sum(windows.step_times(run)) for run in sample.runs]
        models = [model for run in sample.runs if (model := epoch_model(run)) is not None]
        datasets = [d.seconds for r in sample.runs[:1] if r.record for d in r.record.datasets]
        details[side] = {
            "wait_share": round(sum(waits) / sum(spans), 4) if waits and sum(spans) else None,
            "first_batch_seconds": _middle([pairs.first_batch_seconds(r) for r in sample.runs]),
            "step_seconds": _middle([r.step_seconds for r in sample.runs]),
            "boundary_seconds": _middle([m.boundary for m in models]),
            "dataset_seconds": round(sum(datasets), 4),
            "peak_bytes": max((r.memory.peak_total for r in sample.runs), default=0) or None,
            "worker_bytes": max((r.worker_bytes for r in sample.runs), default=0) or None,
        }
    return details


def _middle(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return round(known[len(known) // 2], 6) if known else None


def _progress(found: Measured, rule: Rule) -> str:
    count = f"pair {len(found.ratios)} of at most {rule.pairs}"
    if found.estimate is None:
        return count
    known = found.estimate
    return f"{count}: {known.speedup:.3f}x ({known.low:.3f}..{known.high:.3f})"
