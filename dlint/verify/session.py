"""A whole verification: what is looked at, what is timed, in which order, within the budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from dlint.fixes.trials.trials import affinity
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.compare import Kind
from dlint.verify.judge.contest import Contest
from dlint.verify.judge.failures import exception_of, failure_of, not_in_force, without_fault
from dlint.verify.judge.foresight import Foresight
from dlint.verify.judge.judging import Judge, Sides
from dlint.verify.judge.kept import Kept, key_of, machine_of, today
from dlint.verify.judge.method import method
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.statistics import confidence_for
from dlint.verify.measure import windows
from dlint.verify.measure.handing import waits_for_handing
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.options import Options
from dlint.verify.plan.budget import Budget
from dlint.verify.plan.candidates import (
    ITSELF,
    Candidate,
    Variants,
    diff_of,
    going_together,
    texts_of,
)
from dlint.verify.plan.claims import Observable
from dlint.verify.plan.order import LOOKED_AT, in_line
from dlint.verify.plan.overrides import waiting_trials
from dlint.verify.report.watching import Observer
from dlint.verify.run.dry_run import DryRunner, Look
from dlint.verify.run.live import OUT_OF_TIME
from dlint.verify.run.machine import environment
from dlint.verify.run.runner import Run, Runner, Variant
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources


class Session:
    """Tries candidates on a program."""

    def __init__(
        self,
        runner: Runner,
        tried: Sequence[Candidate],
        sources: Sources,
        options: Options,
        observer: Observer,
        kept: Kept | None = None,
        choose: Callable[[Contest], list[Candidate]] | None = None,
    ) -> None:
        """`choose`: what is tried, out of more that it lets meet; in place of what is found."""
        self._choose = choose
        self._runner, self._sources, self._kept = runner, sources, kept or Kept()
        self._tried, self._options, self._observer = list(tried), options, observer
        self._variants = Variants(tried, sources)
        self._budget = Budget(options.budget, options.began)
        seconds = self._budget.of_a_look(options.look_seconds)
        self._dry = DryRunner(runner, options.look_steps, seconds, observer, self._budget.end)
        self._foresight = Foresight(self._kept, runner.program, self._tried, options, self._budget)
        self._line: list[Candidate] = []
        self._base: list[Candidate] = []
        """What fixes a crash is applied on both sides of every later comparison."""
        self._looks: dict[str, Look] = {}
        self._on_gpu = False
        self._machine: dict[str, str] = {}
        self.first: Run | None = None
        """The first run of the script that did not fail."""
        self.outcome = Outcome(runner.program.name, runner.program.command())

    def run(self) -> Outcome:
        """Try everything. Raises UnmeasurableError, and UsageError for `--gpu` without one."""
        unknown = self._foresight.check() if self._choose is None else None
        if unknown is not None:
            self._observer.doing(unknown)
        first = self._begin()
        if first.over == OUT_OF_TIME:
            raise self._foresight.learn_unfinished()
        if first.failed:
            self._check_device(first)
            first = self._fix_crashes(first)
        self.first = first
        self._options = self._options._replace(room=self._dry.room)
        if self._options.self_test:
            self._tried = [ITSELF]
        else:
            self._tried += self._suggested(first)
            self._variants = Variants(self._tried, self._sources)
        self._line = self._in_line()
        if self._budget.left() < _A_LOOK * first.seconds:
            self._check_budget(self._judge([first.training]), first, more=2)
        if self._line or self._choose is None:
            self._dry.repeat(self._coming())
        self._try_all(first)
        order = {c.name: number for number, c in enumerate(self._tried)}
        self.outcome.results.sort(
            key=lambda r: (list(Mode).index(r.mode), order[r.candidates[0].name])
        )
        self.outcome.seconds = time.monotonic() - self._budget.began
        self.outcome.method = method(self._options, self.outcome)
        self.outcome.runs, self.outcome.when = self._runner.count, today()
        return self.outcome

    def _suggested(self, first: Run) -> list[Candidate]:
        """What is tried whatever the findings: what was chosen, or where a loop waits for data."""
        if self._choose is not None:
            options, end = self._options, self._budget.end
            startup, watched = self._dry.startup, self._observer
            known = Contest(self._runner, first, startup, options, watched, self._variant, end)
            return self._choose(known)
        share = max(windows.wait_shares(first).values(), default=0.0)
        if first.training is None or not self._options.where_it_waits:
            return []
        given = (first.training, share, self._on_gpu, self._tried, affinity())
        return waiting_trials(*given, waits_for_handing(first))

    def _in_line(self) -> list[Candidate]:
        """What is tried, in this order."""
        assert self.first is not None
        shares = windows.wait_shares(self.first)
        rest = [c for c in self._tried if c not in self._base]
        return in_line(rest, max(shares.values(), default=None))

    def _coming(self, now: Candidate | None = None) -> Variant | None:
        """The variant that is looked at next, behind that of `now`."""
        behind = self._line[0 if now is None else self._line.index(now) + 1 :]
        coming = next((c for c in behind if self._is_looked_at(c)), None)
        return None if coming is None else self._variant([coming])

    def _is_looked_at(self, candidate: Candidate) -> bool:
        absent = candidate.needs_accelerator and not self._on_gpu
        return candidate is not ITSELF and not absent

    def _begin(self) -> Run:
        return self._dry.begin(self._variant([]), self._check_gpu)

    def _variant(self, chosen: Sequence[Candidate]) -> Variant:
        variant = self._variants.make([*self._base, *chosen])
        if variant is None:
            raise UnmeasurableError("the fixes do not go together")
        return variant

    def _add(
        self, chosen: Sequence[Candidate], verdict: Verdict, why: str, mode: Mode = Mode.ALONE
    ) -> Result:
        return self._keep(Result(tuple(chosen), mode, verdict, why))

    def _keep(self, result: Result) -> Result:
        if result.mode is not Mode.WITHOUT:
            texts = texts_of(result.candidates, self._sources) or {}
            result.diff = diff_of(texts, self._sources)
        self.outcome.results.append(result)
        self._observer.done(result)
        return result

    def _fix_crashes(self, first: Run) -> Run:
        """Find the fixes after which the script runs; go on with those on both sides."""
        if first.over is not None or not self._tried:
            raise UnmeasurableError(failure_of("the script fails as it is", first))
        self._observer.doing("the script fails; looking whether it does so again")
        again = self._begin()
        if not again.failed:
            self.outcome.notes.append(
                f"the script failed in its first run, but not in the second: {exception_of(first)}"
            )
            return again
        for candidate in sorted(self._tried, key=lambda c: c.claim != "exception"):
            self._observer.doing(f"the script fails; trying: {candidate.name}")
            look = self._dry.look(self._variant([candidate]))
            if not look.run.failed:
                self._add([candidate], Verdict.FIXES_CRASH, exception_of(first))
                self._base.append(candidate)
                return self._begin()
        together = going_together(self._tried, self._sources)
        if len(together) > 1:
            look = self._dry.look(self._variant(together))
            if not look.run.failed:
                self._add(together, Verdict.FIXES_CRASH, exception_of(first), Mode.TOGETHER)
                self._base = together
                return self._begin()
        raise UnmeasurableError(failure_of("the script fails as it is, and with every fix", first))

    def _check_device(self, first: Run) -> None:
        """A script that fails may do so for want of a device."""
        record = first.record
        if (
            self._options.gpu
            and record is not None
            and not (record.cuda_available or record.device_available)
        ):
            raise UsageError("`--gpu`: torch finds no device on this machine")

    def _check_gpu(self, first: Run) -> None:
        self._check_device(first)
        record = first.record
        assert record is not None
        if self._options.gpu and not record.on_device:
            raise UsageError("`--gpu`: there is a device, but the script does not use it")
        self._on_gpu = record.on_device

    def _looked_at(self, candidate: Candidate, first: Run) -> bool:
        """Judge what a look can judge. Returns whether the candidate is still to be timed."""
        if candidate.needs_accelerator and not self._on_gpu:
            self._add([candidate], Verdict.NEEDS_GPU, "it acts on copies to an accelerator only")
            return False
        patch = candidate.is_change
        look = self._looks[candidate.name] = self._dry.look(
            self._variant([candidate]),
            orders=bool(candidate.patched) or candidate.claim == "order",
            free=patch,
            coming=self._coming(candidate),
        )
        if look.run.over == OUT_OF_TIME:
            self._add([candidate], Verdict.INCONCLUSIVE, _LEFT_OUT)
            return False
        if look.run.failed:
            result = self._add([candidate], Verdict.FAILED, exception_of(look.run))
            result.stderr = look.run.stderr
            return False
        absent = not_in_force(texts_of([candidate], self._sources) or {}, look.run)
        if absent is not None:
            self._add([candidate], Verdict.INCONCLUSIVE, absent)
            return False
        if look.fixed is not None:
            self._add([candidate], Verdict.FIXES_FAULT, look.fixed)
            return False
        if candidate.observable in {Observable.FAULT, Observable.CRASH}:
            verdict, why = without_fault(candidate.claim, look.before)
            self._add([candidate], verdict, why).equivalence = look.equivalence
            return False
        if look.equivalence is not None and look.equivalence.kind is Kind.CHANGED:
            why = look.equivalence.why
            result = self._add([candidate], Verdict.CHANGES_RESULTS, why)
            result.equivalence = look.equivalence
            return False
        return True

    def _try_all(self, first: Run) -> None:
        """Each alone; then, in what time is left, those that pay together, and without each."""
        judge = self._judge([first.training])
        self._check_budget(judge, first)
        for candidate in self._line:
            if self._is_out(candidate, judge, first):
                self._add([candidate], Verdict.INCONCLUSIVE, _LEFT_OUT)
            elif candidate is ITSELF or self._looked_at(candidate, first):
                self._time(candidate, first)
        self._leave_out(first)

    def _judge(self, loaders: Sequence[LoaderRecord | None]) -> Judge:
        """A judge of variants whose loaders are these."""
        assert self.first is not None
        return Judge(
            self._runner,
            windows.pace(self.first, self._dry.startup),
            [loader for loader in loaders if loader is not None],
            self._options,
            self._observer,
            self._budget.end,
            self.outcome.notes,
            self._kept,
        )

    def _check_budget(self, judge: Judge, first: Run, more: int = 0) -> None:
        """Say what fits into the budget, behind so many looks more. Raises UsageError where nothing
        does."""
        timed = [c for c in self._line if c.observable not in LOOKED_AT]
        needed = [
            judge.planner.shortest(c.observable) + self._look_seconds(c) + more * first.seconds
            for c in timed
        ]
        if not needed:
            return
        least, startup = min(needed), self._dry.startup
        self._foresight.learn(startup, max(0.0, first.seconds - startup), least)
        if least > self._budget.left() and self._choose is None:
            raise UsageError(
                f"`--budget {self._budget.seconds:.0f}s` is too small: this script takes "
                f"{startup:.0f} s to its first batch, and a fix is told by a look at "
                "it and a few starts of both sides; what fits is "
                f"`--budget {self._budget.enough_for(least):.0f}s`"
            )
        count = self._budget.fitting(needed)
        self._observer.until(self._budget.end)
        told = f"the budget is enough for {count} of {len(timed)} comparisons"
        if count < len(timed):
            names = ", ".join(c.name for c in timed[count:])
            self.outcome.notes.append(f"{told}; the last in line: {names}")
        seconds = self._budget.left() / len(timed)
        outlook = judge.planner.outlook(timed[0].observable, seconds, windows.noise(first))
        self._observer.doing(f"{told}; for each {outlook}")

    def _is_out(self, candidate: Candidate, judge: Judge, first: Run) -> bool:
        """Whether there is no time left to look at a candidate and time it."""
        if candidate.observable in LOOKED_AT:
            return self._budget.left() < first.seconds
        needed = judge.planner.shortest(candidate.observable) + self._look_seconds(candidate)
        return self._budget.left() < needed

    def _look_seconds(self, candidate: Candidate) -> float:
        """How long it takes to look at a candidate, as long as the first look took at most."""
        assert self.first is not None
        made = candidate is ITSELF or not self._dry.needs_a_run(self._variant([candidate]))
        return 0.0 if made else self.first.seconds

    def _time(self, candidate: Candidate, first: Run) -> None:
        """Time a candidate alone, in its share of the time."""
        done = {name for result in self.outcome.results for name in (result.name,)}
        left = sum(c.name not in done and c.observable not in LOOKED_AT for c in self._line)
        look = self._looks.get(candidate.name)
        judge = self._judge([None if look is None else look.run.training, first.training])
        self._measure(judge, [], [candidate], Mode.ALONE, self._budget.share(left))

    def _runs(self, together: Sequence[Candidate]) -> bool:
        """Whether the script runs with all of these, to the same results; one may take away what
        another needs."""
        look = self._dry.look(self._variant(together))
        equivalence = look.equivalence
        if look.run.failed:
            self.outcome.notes.append(
                f"the script fails with all fixes together, so they were tried one by one: "
                f"{exception_of(look.run)}"
            )
        elif equivalence is not None and equivalence.kind is Kind.CHANGED:
            names = ", ".join(candidate.name for candidate in together)
            self.outcome.notes.append(
                f"{names} change the results together, so they were tried one by one: "
                f"{equivalence.why}"
            )
            return False
        return not look.run.failed

    def _leave_out(self, first: Run) -> None:
        """What the confirmed fixes are worth together, and each of them beside the others."""
        paying = [r for r in self.outcome.of(Mode.ALONE) if r.verdict is Verdict.CONFIRMED]
        paying.sort(key=lambda r: -(r.estimate.speedup if r.estimate is not None else 1.0))
        confirmed = [r.candidates[0] for r in paying]
        together = going_together(confirmed, self._sources, self._base)
        loaders = [look.run.training for look in self._looks.values()]
        judge = self._judge([*loaders, first.training])
        tests = 1 + len(together)
        if len(together) < 2 or not self._is_worth(judge) or not self._runs(together):
            return
        if self._is_worth(judge):
            self._measure(judge, [], together, Mode.TOGETHER, self._budget.share(tests))
        for number, candidate in enumerate(together):
            others = [c for c in together if c is not candidate]
            if self._is_worth(judge):
                share = self._budget.share(tests - 1 - number)
                self._measure(judge, others, [candidate], Mode.WITHOUT, share)

    def _is_worth(self, judge: Judge) -> bool:
        """Whether there is time left for a further comparison."""
        return self._budget.left() > judge.planner.shortest(Observable.STEP)

    def _measure(
        self,
        judge: Judge,
        base: Sequence[Candidate],
        chosen: Sequence[Candidate],
        mode: Mode,
        deadline: float,
    ) -> Result:
        before, after = self._variant(base), self._variant([*base, *chosen])
        confidence = self._options.confidence or confidence_for(len(self._tried))
        if mode is Mode.TOGETHER:
            confidence = self._options.confidence or confidence_for(1)
        result = Result(tuple(chosen), mode, Verdict.INCONCLUSIVE)
        look = self._looks.get(chosen[0].name) if mode is Mode.ALONE else None
        if look is not None and self.first is not None:
            result.equivalence, result.looks = look.equivalence, (self.first, look.run)
        sides = Sides(before, after, self._key(before, after))
        judge.judge(result, sides, confidence, deadline)
        if not judge.planner.may_duet:  # nor will it with another fix
            self._options = self._options._replace(room=1)
        self._keep(result)
        floor = None if result.measured is None else result.measured.floor
        if floor is not None:
            self.outcome.floor = max(floor, self.outcome.floor or 0.0)
        return result

    def _key(self, before: Variant, after: Variant) -> str:
        """What pairs hold for."""
        assert self.first is not None
        if not self._machine:
            self._machine = machine_of(environment(self.first, self._runner.program.script))
        return key_of(self._runner.program, self.first, (before, after), self._machine)


_LEFT_OUT = "left out: the budget ended before it; a larger `--budget`, or another run, goes on"
_A_LOOK = 0.5
"""The share of the first look, which may have filled caches, that each later one takes."""
