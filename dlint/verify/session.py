"""A whole verification: what is looked at, what is timed, in which order, within the budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.compare import Faults, Kind
from dlint.verify.judge.judging import Judge, judged_by
from dlint.verify.judge.results import Mode, Outcome, Result, UnmeasurableError, Verdict
from dlint.verify.judge.statistics import LOOKS, confidence_for
from dlint.verify.measure import windows
from dlint.verify.measure.interleaved import fits
from dlint.verify.plan.candidates import Candidate, Spot, Variants, going_together, texts_of
from dlint.verify.plan.claims import Observable
from dlint.verify.report.watching import Watcher
from dlint.verify.run.causes import likely_cause
from dlint.verify.run.dry_run import Look, Looker
from dlint.verify.run.runner import Run, Runner, Variant
from dlint.workspace.errors import UsageError
from dlint.workspace.source import Sources


class Options(NamedTuple):
    """What the user sets."""

    gpu: bool = False
    window: windows.Asked = windows.Asked()
    pairs: int = 12
    budget: float = 600.0
    confidence: float | None = None
    effect: float = 0.03
    keep_going: bool = False
    self_test: bool = False
    """Whether the script is measured against itself."""
    design: str = "duet"
    """`duet`: both live at once and take turns, where that can be; or `pairs` of runs, one after
    the other."""
    may_duet: bool = False
    """Whether there is room for two; the session finds that out."""
    look_steps: int = 120
    look_seconds: float = 20.0


class Session:
    """Tries candidates on a program."""

    def __init__(
        self,
        runner: Runner,
        tried: Sequence[Candidate],
        sources: Sources,
        options: Options,
        watcher: Watcher,
    ) -> None:
        self._runner, self._sources = runner, sources
        self._tried, self._options, self._watcher = list(tried), options, watcher
        self._variants = Variants(tried, sources)
        self._looker = Looker(runner, options.look_steps, options.look_seconds, watcher)
        self._begun = time.monotonic()
        self._base: list[Candidate] = []
        """What mends a crash is applied on both sides of every later comparison."""
        self._looks: dict[str, Look] = {}
        self._timed = 0
        """How many candidates were timed."""
        self.first: Run | None = None
        """The first run of the script that did not fail."""
        self.outcome = Outcome(runner.program.name, runner.program.command())

    def run(self) -> Outcome:
        """Try everything. Raises UnmeasurableError, and UsageError for `--gpu` without one."""
        first = self._begin()
        if first.failed:
            self._check_device(first)
            first = self._mend_crashes(first)
        self.first = first
        self._options = self._options._replace(may_duet=fits(first))
        if self._options.self_test:
            self._tried = [_NOTHING]
            self._time(self._tried, first)
        rest = [c for c in self._tried if c not in self._base and c is not _NOTHING]
        timed = [c for c in rest if self._looked_at(c, first)]
        if timed:
            self._time(timed, first)
        order = {c.name: number for number, c in enumerate(self._tried)}
        self.outcome.results.sort(
            key=lambda r: (list(Mode).index(r.mode), order[r.candidates[0].name])
        )
        self.outcome.seconds = time.monotonic() - self._begun
        self.outcome.method = _method(self._options, self._timed)
        self.outcome.runs = self._runner.count
        return self.outcome

    def _begin(self) -> Run:
        return self._looker.begin(self._variant([]), self._check_gpu)

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
        self.outcome.results.append(result)
        self._watcher.done(result)
        return result

    def _mend_crashes(self, first: Run) -> Run:
        """Find the fixes after which the script runs; go on with those on both sides."""
        if first.over is not None or not self._tried:
            raise UnmeasurableError(_failure("the script fails as it is", first))
        self._watcher.doing("the script fails; looking whether it does so again")
        again = self._begin()
        if not again.failed:
            self.outcome.notes.append(
                f"the script failed in its first run, but not in the second: {_exception(first)}"
            )
            return again
        for candidate in sorted(self._tried, key=lambda c: c.claim != "exception"):
            self._watcher.doing(f"the script fails; trying: {candidate.name}")
            look = self._looker.look(self._variant([candidate]))
            if not look.run.failed:
                self._add([candidate], Verdict.MENDS_CRASH, _exception(first))
                self._base.append(candidate)
                return self._begin()
        together = going_together(self._tried, self._sources)
        if len(together) > 1:
            look = self._looker.look(self._variant(together))
            if not look.run.failed:
                self._add(together, Verdict.MENDS_CRASH, _exception(first), Mode.TOGETHER)
                self._base = together
                return self._begin()
        raise UnmeasurableError(_failure("the script fails as it is, and with every fix", first))

    def _check_device(self, first: Run) -> None:
        """A script that fails may do so for want of a device."""
        record = first.record
        if self._options.gpu and record is not None and not record.cuda_available:
            raise UsageError("`--gpu`: torch finds no CUDA device on this machine")

    def _check_gpu(self, first: Run) -> None:
        self._check_device(first)
        record = first.record
        assert record is not None
        if self._options.gpu and not record.cuda_used:
            raise UsageError("`--gpu`: there is a CUDA device, but the script does not use it")
        self._on_gpu = record.cuda_used

    def _looked_at(self, candidate: Candidate, first: Run) -> bool:
        """Judge what a look can judge. Returns whether the candidate is still to be timed."""
        if candidate.needs_accelerator and not self._on_gpu:
            self._add([candidate], Verdict.NEEDS_GPU, "it acts on copies to an accelerator only")
            return False
        patch = not candidate.code
        look = self._looks[candidate.name] = self._looker.look(
            self._variant([candidate]), orders=patch or candidate.claim == "order", free=patch
        )
        if look.run.failed:
            result = self._add([candidate], Verdict.FAILED, _exception(look.run))
            result.stderr = look.run.stderr
            return False
        absent = self._absent(candidate, look.run)
        if absent is not None:
            self._add([candidate], Verdict.INCONCLUSIVE, absent)
            return False
        if look.mended is not None:
            self._add([candidate], Verdict.MENDS_FAULT, look.mended)
            return False
        if candidate.observable in {Observable.FAULT, Observable.CRASH}:
            verdict, why = _without_fault(candidate.claim, look.before)
            self._add([candidate], verdict, why).equivalence = look.equivalence
            return False
        if look.equivalence is not None and look.equivalence.kind is Kind.CHANGED:
            why = look.equivalence.why
            result = self._add([candidate], Verdict.CHANGES_RESULTS, why)
            result.equivalence = look.equivalence
            return False
        return True

    def _absent(self, candidate: Candidate, run: Run) -> str | None:
        """Why a fix was not in force: the script may run another copy of the files, or none."""
        texts = texts_of([candidate], self._sources) or {}
        changed = {str(Path(path).resolve()) for path in texts}
        if not changed or not changed <= run.unloaded:
            return None
        return (
            f"the fix was not in force: the script did not load {', '.join(sorted(changed))} in "
            "the part that was run; it may import an installed copy"
        )

    def _time(self, timed: Sequence[Candidate], first: Run) -> None:
        """All together, each alone, then the kept ones without each."""
        options, self._timed = self._options, len(timed)
        known = windows.pace(first, self._looker.startup)
        loaders = [look.run.training for look in self._looks.values()] + [first.training]
        together = going_together(timed, self._sources, self._base)
        combined = len(together) > 1 and self._runs(together)
        tests = _Tests(len(timed), combined, options.budget)
        self._watcher.until(tests.end)
        judge = Judge(
            self._runner,
            known,
            [loader for loader in loaders if loader is not None],
            options,
            self._watcher,
            tests.end,
            self.outcome.notes,
        )
        if combined:
            result = self._measure(judge, [], together, Mode.TOGETHER, tests)
            if result.verdict is Verdict.NO_EFFECT:
                timed = self._spared(result, timed)
        for candidate in timed:
            self._measure(judge, [], [candidate], Mode.ALONE, tests)
        self._leave_out(judge, tests)

    def _spared(self, result: Result, timed: Sequence[Candidate]) -> list[Candidate]:
        """What still is to be tried alone, when all fixes together have no effect: those that were
        none of them, and those that are judged by something else."""
        seen, rest = judged_by(result), []
        for candidate in timed:
            if candidate in result.candidates and candidate.observable is seen:
                why = "all fixes together have no effect"
                copy = self._add([candidate], Verdict.NO_EFFECT, why)
                copy.estimate = result.estimate
            else:
                rest.append(candidate)
        return rest

    def _runs(self, together: Sequence[Candidate]) -> bool:
        """Whether the script runs with all of these, to the same results; one may take away what
        another needs."""
        look = self._looker.look(self._variant(together))
        equivalence = look.equivalence
        if look.run.failed:
            self.outcome.notes.append(
                f"the script fails with all fixes together, so they were tried one by one: "
                f"{_exception(look.run)}"
            )
        elif equivalence is not None and equivalence.kind is Kind.CHANGED:
            names = ", ".join(candidate.name for candidate in together)
            self.outcome.notes.append(
                f"{names} change the results together, so they were tried one by one: "
                f"{equivalence.why}"
            )
            return False
        return not look.run.failed

    def _leave_out(self, judge: Judge, tests: _Tests) -> None:
        """What each of the confirmed fixes is worth beside the others."""
        paying = [r for r in self.outcome.of(Mode.ALONE) if r.verdict is Verdict.CONFIRMED]
        paying.sort(key=lambda r: -(r.estimate.speedup if r.estimate is not None else 1.0))
        confirmed = [r.candidates[0] for r in paying]
        kept = going_together(confirmed, self._sources, self._base)
        if len(kept) < 2 or not self._runs(kept):
            return
        for candidate in kept:
            others = [c for c in kept if c is not candidate]
            self._measure(judge, others, [candidate], Mode.WITHOUT, tests)

    def _measure(
        self,
        judge: Judge,
        base: Sequence[Candidate],
        chosen: Sequence[Candidate],
        mode: Mode,
        tests: _Tests,
    ) -> Result:
        before, after = self._variant(base), self._variant([*base, *chosen])
        confidence = self._options.confidence or confidence_for(tests.candidates)
        if mode is Mode.TOGETHER:
            confidence = self._options.confidence or confidence_for(1)
        result = Result(tuple(chosen), mode, Verdict.INCONCLUSIVE)
        look = self._looks.get(chosen[0].name) if mode is Mode.ALONE else None
        if look is not None and self.first is not None:
            result.equivalence, result.looks = look.equivalence, (self.first, look.run)
        judge.judge(result, before, after, confidence, tests.deadline())
        self._keep(result)
        floor = None if result.measured is None else result.measured.floor
        if floor is not None:
            self.outcome.floor = max(floor, self.outcome.floor or 0.0)
        return result


_FAULTS = {
    "order": "repeated_order",
    "duplicates": "shared_samples",
    "strategy": "ignored_strategy",
}
"""What shows the fault that a claim is about."""

_DESIGNS = {
    "pairs": "fresh processes, pairs in ABBA order",
    "duet": "fresh processes, both at once where there is room, turns in ABBA order",
}

_NOTHING = Candidate(
    name="itself",
    code="",
    claim="throughput",
    observable=Observable.STEP,
    applicability=Applicability.SAFE,
    title="Change nothing",
    spots=(Spot("", 0, ""),),
)
"""What `--self-test` tries."""


class _Tests:
    """Shares the budget among the tests that may come."""

    def __init__(self, candidates: int, combined: bool, budget: float) -> None:
        """`combined`: whether there are tests with all and without each, too."""
        self.candidates = candidates
        self._left = 1 + 2 * candidates if combined else candidates
        self.end = time.monotonic() + budget

    def deadline(self) -> float:
        """When the next test has to be through."""
        now = time.monotonic()
        share = max(0.0, self.end - now) / max(1, self._left)
        self._left -= 1
        return now + share


def _without_fault(claim: str, before: Faults | None) -> tuple[Verdict, str]:
    """What to say of a fix that is to mend something, when nothing was mended."""
    if claim == "exception":
        return Verdict.NO_EFFECT, "the script does not fail in the part that was run"
    by_claim = before._asdict() if before is not None else {}
    if claim == "order" and before is not None and before.single_epoch:
        return Verdict.NO_EFFECT, "there is one epoch only, as the script was started"
    seen = by_claim.get(_FAULTS[claim])
    if seen is None:
        return Verdict.INCONCLUSIVE, "the part that was run does not show whether there is a fault"
    if seen:
        return Verdict.NO_EFFECT, "the fault is there with the fix, too"
    return Verdict.NO_EFFECT, "the batches of the training show no such fault"


def _method(options: Options, timed: int) -> dict[str, Any]:
    """How it was measured."""
    return {
        "design": _DESIGNS[options.design],
        "looks": list(LOOKS),
        "confidence": options.confidence or confidence_for(timed),
        "pairs": options.pairs,
        "window": options.window._asdict(),
        "keep_going": options.keep_going,
        "effect": options.effect,
        "budget": options.budget,
        "statistic": "mean of the window, log ratio of each pair, Student's t",
    }


def _exception(run: Run) -> str:
    """What ended a run, in a few words."""
    if run.over is not None:
        return run.over
    errors = [record.error for record in run.records if record.error is not None]
    if errors:
        return f"{errors[0].type}: {errors[0].message}"
    last = run.stderr.strip().splitlines()
    return last[-1] if last else f"exit code {run.code}"


def _failure(what: str, run: Run) -> str:
    """A message that ends with what the script wrote last."""
    tail = "\n".join(f"  {line}" for line in run.stderr.strip().splitlines()[-12:])
    cause = likely_cause(run)
    said = f"{what}: {_exception(run)}" + ("" if cause is None else f"\nlikely cause: {cause}")
    return said + (f"\n{tail}" if tail else "")
