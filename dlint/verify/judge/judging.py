"""From a pair of variants to a verdict, by what the rule claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.verify.judge.kept import Comparison, Kept, today
from dlint.verify.judge.planning import Comparing, Planner
from dlint.verify.judge.results import Result, Verdict
from dlint.verify.judge.seen import details_of, interval, unseen_why
from dlint.verify.judge.statistics import FEWEST, Decision, Estimate, Pair, estimate
from dlint.verify.judge.whole import Beyond, Modelled, beyond_of
from dlint.verify.measure import pairs, windows
from dlint.verify.measure.epochs import step_blocks
from dlint.verify.measure.pairs import FEWEST_APART, Beside, Measured, Pairs, Rule
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.plan.claims import Observable
from dlint.verify.report.watching import Observer
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant

if TYPE_CHECKING:
    from dlint.verify.options import Options

_PROFILED = 20
"""Steps of a run in which the device is profiled."""
_LEAST_WARMUP = 10
_UNPROFILED = "what the GPU does was not looked at: the budget was used up by then"
_UNSEEN = (
    "what an epoch takes beyond its steps was not seen in the time there was: where only a step is "
    "told, an epoch may gain less"
)
_BY_TURNS = frozenset({Observable.STEP, Observable.EPOCH})

_VERDICTS = {
    Decision.FASTER: Verdict.CONFIRMED,
    Decision.SLOWER: Verdict.SLOWER,
    Decision.NO_EFFECT: Verdict.NO_EFFECT,
    Decision.UNDECIDED: Verdict.INCONCLUSIVE,
}


class Sides(NamedTuple):
    """What is compared."""

    before: Variant
    after: Variant
    key: str = ""
    """What pairs of them are kept by; they hold for the same texts, data and machine."""


class Judge:
    """Times variants and says what the times mean."""

    def __init__(
        self,
        runner: Runner,
        known: windows.Pace,
        loaders: Sequence[LoaderRecord],
        options: Options,
        observer: Observer,
        end: float,
        notes: list[str],
        kept: Kept | None = None,
    ) -> None:
        """`end`: when all tests have to be through, on the monotonic clock. `notes`: what is said
        to the user beside the results. `kept`: the pairs of earlier verifications."""
        self._kept = kept or Kept()
        self._runner, self._known, self._options = runner, known, options
        self._loaders, self._observer = loaders, observer
        self._devices: dict[str, Run] = {}
        self.planner = Planner(known, loaders, options, end)
        self._end, self._notes = end, notes

    def judge(self, result: Result, sides: Sides, confidence: float, deadline: float) -> None:
        """Fill in the verdict of a result."""
        plan = self._plan(judged_by(result), sides, deadline)
        rule = self._rule(plan, sides, confidence, deadline)
        what = f"timing: {result.name} ({result.mode})"

        def on_progress(found: Measured) -> None:
            self._observer.doing(f"{what} {_progress(found, rule, plan)}")

        def judged(found: Measured, rule: Rule) -> Estimate | None:
            return (pairs.plain if plan.model is None else plan.model.estimate)(found, rule)

        def take(before: Run, after: Run) -> None:
            nonlocal plan
            plan = plan._replace(model=self._model_of(beyond_of(before), beyond_of(after)))

        self._observer.doing(what)
        beside = None if plan.boundaries is None else Beside(plan.boundaries, take)
        timed = Pairs(
            self._runner,
            sides.before,
            sides.after,
            plan.setting,
            plan.measure,
            on_progress,
            plan.turns,
            judged,
            self.planner.room,
            beside,
        )
        try:
            found = timed.measure(rule)
        finally:  # what was measured stays, also where somebody ends it now
            self._keep(timed, result, sides, plan)
        if plan.measure is pairs.STEP and plan.turns is not None and timed.turns is None:
            self.planner.may_duet = False
        result.measured = found
        result.details = {
            "observable": plan.observable.value,
            "design": "pairs" if timed.turns is None else "duet",
            "warmup": plan.setting.warmup,
            "steps": (timed.turns or plan.setting).steps,
            **details_of(found),
        }
        self._conclude(result, found, timed.fewest)
        if plan.measure is pairs.STEP and plan.model is None:
            self._note_unseen(plan)
        self._tell_both(result, found, plan, rule)
        if plan.observable is Observable.FIRST_BATCH:
            _weigh_steps(result, found, rule)
        elif plan.observable is Observable.MEMORY:
            _weigh_memory(result, found, rule)
        self._add_devices(result, found, plan.setting, sides)

    def _note_unseen(self, plan: Comparing) -> None:
        by_steps = plan.observable is Observable.STEP and windows.epoch_length(self._loaders)
        if by_steps:
            self._note(_UNSEEN)

    def _keep(self, timed: Pairs, result: Result, sides: Sides, plan: Comparing) -> None:
        day = (today(), tuple(timed.found.pairs))
        name = f"{result.name} ({result.mode})"
        self._kept.add(
            sides.key,
            Comparison(self._runner.program.name, name, plan.unit, (day,)),
        )

    def _rule(self, plan: Comparing, sides: Sides, confidence: float, deadline: float) -> Rule:
        options = self._options
        return Rule(
            confidence,
            options.effect,
            options.pairs,
            deadline,
            options.keep_going,
            self._end,
            self.planner.seconds(plan.setting, plan.turns),
            self._known_pairs(plan, sides),
            self._kept.start(),
            windows.jitter(self._known, plan.setting, plan.turns),
        )

    def _plan(self, observable: Observable, sides: Sides, deadline: float) -> Comparing:
        """How two sides are compared: by whole epochs where these are short, else by steps, and by
        what an epoch has beside them."""
        plan = self.planner.windows(observable, deadline - time.monotonic())
        if plan.observable is not Observable.STEP or plan.measure is not pairs.STEP:
            return plan
        setting = windows.of_boundaries(self._known, self._loaders)
        if plan.turns is not None and setting is not None and not self._known_pairs(plan, sides):
            fits = self.planner.affords(setting, plan)
            return plan._replace(boundaries=windows.in_one_turn(setting)) if fits else plan
        return plan._replace(
            model=None if setting is None else self._modelled(sides, plan, setting)
        )

    def _known_pairs(self, plan: Comparing, sides: Sides) -> tuple[Pair, ...]:
        return self._kept.of(sides.key, plan.unit)

    def _modelled(self, sides: Sides, plan: Comparing, setting: RunConfig) -> Modelled | None:
        """How an epoch follows from its steps, by a run of each side; None where there is no time
        for them."""
        each = windows.seconds_apart(self._known, setting)
        fewest = FEWEST if plan.turns is not None else FEWEST_APART
        left = (
            self._end - time.monotonic() - fewest * self.planner.seconds(plan.setting, plan.turns)
        )
        if left < each:
            return None
        setting = setting._replace(limit=max(each, left / 2))
        found = []
        for side in (sides.before, sides.after):
            self._observer.doing(f"looking where epochs begin and end: {side.name}")
            found.append(beyond_of(self._runner.run(side, setting)))
        return self._model_of(*found)

    def _model_of(self, before: Beyond | None, after: Beyond | None) -> Modelled | None:
        length = windows.epoch_length(self._loaders)
        if length is None or before is None or after is None:
            return None
        return Modelled(length, before, after)

    def _tell_both(self, result: Result, found: Measured, plan: Comparing, rule: Rule) -> None:
        """What a step and an epoch are worth, where one of them was judged."""
        if plan.observable not in _BY_TURNS or result.estimate is None:
            return
        by_steps = plan.measure is pairs.STEP
        step = plain_or(found, rule) if by_steps else secondary(found, step_blocks, rule)
        if step is not None:
            result.details["step"] = interval(step)
        if by_steps and plan.model is None:
            return
        if plan.model is not None:
            how, seconds = "modelled", plan.model.seconds(found)
        else:
            cut = plan.setting.epoch_cap is not None
            how, seconds = "modelled" if cut else "measured", _means(found)
        result.details["epoch"] = {
            **interval(result.estimate),
            "how": how,
            "steps": windows.epoch_length(self._loaders),
            "before": round(seconds[0], 6),
            "after": round(seconds[1], 6),
        }
        result.details["observable"] = Observable.EPOCH.value

    def _add_devices(
        self, result: Result, found: Measured, setting: RunConfig, sides: Sides
    ) -> None:
        """What the devices do before and after, each in a short run that is not timed."""
        record = found.before.runs[0].record if found.before.runs else None
        if result.estimate is None or record is None or not record.on_device:
            return
        if judged_by(result) is Observable.FIRST_BATCH:
            return
        short = RunConfig(
            max(_LEAST_WARMUP, setting.warmup), _PROFILED, profile=True, limit=setting.limit
        )
        if self._end - time.monotonic() < windows.seconds_apart(self._known, short):
            self._note(_UNPROFILED)
            return
        for side, variant in (("before", sides.before), ("after", sides.after)):
            run = self._profiled(variant, short)
            if run.device is not None:
                result.details[side]["device"] = run.device.told()
                result.details[side]["devices"] = [d.told() for d in run.device_times]

    def _profiled(self, variant: Variant, short: RunConfig) -> Run:
        if variant.name not in self._devices:
            self._observer.doing(f"profiling the device: {variant.name}")
            run = self._devices[variant.name] = self._runner.run(variant, short)
            if run.device is None:
                self._note(f"what the GPU does was not seen: {unseen_why(run)}")
        return self._devices[variant.name]

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)

    def _conclude(self, result: Result, found: Measured, fewest: int) -> None:
        if found.failed is not None:
            result.verdict = Verdict.FAILED
            result.why = f"with the fix, the script {_breach(found.failed)}"
            result.stderr = found.failed.stderr
        elif found.broken is not None:
            result.why = f"the script as it is {_breach(found.broken)}"
            result.stderr = found.broken.stderr
        elif found.estimate is None:
            result.why = _too_little(found, fewest)
        else:
            result.estimate = found.estimate
            result.verdict = _VERDICTS[found.estimate.call]
            result.why = _why(found.estimate, found, fewest)


def _means(found: Measured) -> tuple[float, float]:
    """Seconds of each side, over all pairs."""
    before = [s for pair in found.all for s in pair.before]
    after = [s for pair in found.all for s in pair.after]
    return sum(before) / len(before), sum(after) / len(after)


def _breach(run: Run) -> str:
    """Why a run gave nothing to judge by, twice."""
    if not run.failed:
        return "ended in two timed runs before there was something to measure"
    return f"failed in two timed runs: {run.over or f'exit code {run.code}'}"


def judged_by(result: Result) -> Observable:
    """What several fixes are judged by: their own measure if they share one, else the steps."""
    kinds = {candidate.observable for candidate in result.candidates}
    return kinds.pop() if len(kinds) == 1 else Observable.STEP


def _too_little(found: Measured, fewest: int) -> str:
    known = found.pair_seconds > 0
    take = f": {fewest} take about {fewest * found.pair_seconds:.0f} s" if known else ""
    return f"the budget was enough for no pair of runs{take}"


def _why(known: Estimate, found: Measured, fewest: int) -> str:
    if known.call is not Decision.UNDECIDED:
        return ""
    end = "the budget ended" if found.ran_out else f"{known.pairs} pairs were run"
    return f"{end}; {_missing(known, found, fewest)}"


def _missing(known: Estimate, found: Measured, fewest: int) -> str:
    """What it would take to say more."""
    if known.pairs < fewest:
        each = f" of about {found.pair_seconds:.0f} s" if found.pair_seconds else ""
        return f"a call asks for {fewest - known.pairs} more{each}: run it again to go on"
    return (
        f"a speedup under {known.detectable:.2f}x could not have been told from noise; run it "
        "again to go on with these pairs"
    )


def plain_or(found: Measured, rule: Rule) -> Estimate | None:
    """The estimate of what the pairs hold."""
    return pairs.plain(found, rule) if found.all else None


def _weigh_steps(result: Result, found: Measured, rule: Rule) -> None:
    """A start that is faster may cost in every step: both are said, and the cost counts."""
    steps = secondary(found, windows.block_seconds, rule)
    if steps is None:
        return
    result.details["step"] = interval(steps)
    if steps.call is Decision.SLOWER:
        if result.verdict is Verdict.CONFIRMED and result.estimate is not None:
            result.why = f"the start is {result.estimate.speedup:.2f}x faster, but "
        result.verdict = Verdict.SLOWER
        result.why += f"each step takes {1 / steps.speedup:.2f}x as long"


def _weigh_memory(result: Result, found: Measured, rule: Rule) -> None:
    """Less memory is a fault fixed; without it the steps decide."""
    steps = secondary(found, windows.block_seconds, rule)
    if steps is not None:
        result.details["step"] = interval(steps)
    if result.verdict is Verdict.CONFIRMED and result.estimate is not None:
        result.verdict = Verdict.FIXES_FAULT
        result.why = f"all processes together use {result.estimate.speedup:.2f}x less memory"
    elif result.verdict is Verdict.SLOWER and result.estimate is not None:
        result.verdict = Verdict.NO_EFFECT
        result.why = f"it uses {1 / result.estimate.speedup:.2f}x the memory"


def secondary(
    found: Measured, blocks: Callable[[Run], Sequence[float]], rule: Rule
) -> Estimate | None:
    """The estimate of another number from the same runs."""
    rows = zip(found.before.runs, found.after.runs, strict=False)
    values = [(tuple(blocks(a)), tuple(blocks(b))) for a, b in rows]
    known = [Pair(a, b) for a, b in values if a and b and len(a) == len(b) and min(*a, *b) > 0]
    if len(known) < FEWEST:
        return None
    return estimate(known, rule.confidence, rule.effect, rule.start)


def _progress(found: Measured, rule: Rule, plan: Comparing) -> str:
    count = f"pair {len(found.pairs)} of at most {rule.pairs}"
    if found.estimate is None:
        return count
    known = found.estimate
    return f"{count}: {plan.gained} {known.speedup:.3f}x ({known.low:.3f}..{known.high:.3f})"
