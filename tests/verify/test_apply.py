"""Which fixes are written into the files."""

from __future__ import annotations

from dlint.cli.verify_apply import kept
from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.claims import Observable


def _candidate(name: str) -> Candidate:
    return Candidate(name, "DLT1", "throughput", Observable.STEP, Applicability.SAFE, "", ())


def _kept(*results: tuple[str, Mode, Verdict]) -> list[str]:
    made = [
        Result(tuple(map(_candidate, names.split())), mode, verdict)
        for names, mode, verdict in results
    ]
    return [candidate.name for candidate in kept(Outcome("train.py", [], made))]


def test_what_pays_or_fixes_is_written_and_nothing_else() -> None:
    given = [(verdict.value, Mode.ALONE, verdict) for verdict in Verdict]
    assert _kept(*given) == ["confirmed", "mends-crash", "mends-fault"]
    assert not _kept(("one two", Mode.TOGETHER, Verdict.CONFIRMED))
    assert _kept(("one two", Mode.TOGETHER, Verdict.FIXES_CRASH)) == ["one", "two"]


def test_what_costs_time_beside_the_others_is_left_out() -> None:
    alone = [(name, Mode.ALONE, Verdict.CONFIRMED) for name in ("one", "two")]
    assert _kept(*alone, ("two", Mode.WITHOUT, Verdict.SLOWER)) == ["one"]
    assert _kept(*alone, ("two", Mode.WITHOUT, Verdict.NO_EFFECT)) == ["one", "two"]
    both = [(name, Mode.WITHOUT, Verdict.SLOWER) for name in ("one", "two")]
    assert _kept(*alone, *both) == ["one"], "two that harm each other leave one"
