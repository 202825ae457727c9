"""What fits into a budget, and what earlier runs left to go on from."""

from __future__ import annotations

import time
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from dlint.verify.judge.kept import Kept
from dlint.verify.judge.results import Verdict
from dlint.verify.measure import pairs
from dlint.verify.measure.pairs import Rule
from dlint.verify.options import Options
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.runner import Run, RunConfig, Variant
from dlint.verify.session import Session
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from tests.verify.made import Both, FakeRunner, noisy, run
from tests.verify.sessions import BASE, STEP, made_candidates


@pytest.mark.parametrize(("end", "count"), [(100, 3), (25, 1)])
def test_one_verdict_is_better_than_none(
    end: float, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    steps = cycle((0.02, 0.03, 0.025))

    def slow(name: str, setting: RunConfig) -> Run:
        nonlocal now
        now += 5
        return run(step=next(steps))

    monkeypatch.setattr("time.monotonic", lambda: now)
    sides = Variant(BASE, {}), Variant(STEP, {})
    runner: Any = FakeRunner(slow)
    rule = Rule(0.985, 0.03, 12, deadline=15, end=end)
    found = pairs.Pairs(runner, *sides, RunConfig(), pairs.STEP).measure(rule)
    assert len(found.ratios) == count
    assert found.ran_out
    assert found.estimate is not None, "what was measured is told"


def test_a_budget_that_is_too_small_is_refused_with_one_that_is_not(tmp_path: Path) -> None:
    tried, sources = made_candidates(tmp_path, one="throughput")
    runner = FakeRunner(lambda name, setting: run(step=2.0))
    for budget in (20, 900):
        options = Options(budget=budget, design="pairs")
        session = Session(runner, tried, sources, options, NullObserver())  # type: ignore[arg-type]
        if budget == 900:
            assert session.run().results[0].verdict is Verdict.NO_EFFECT
            continue
        with pytest.raises(UsageError, match=r"`--budget 20s` is too small.*--budget \d+s`"):
            session.run()
        assert all(setting.look for _, setting in runner.asked)


def test_a_budget_is_of_everything_since_the_command_was_started(tmp_path: Path) -> None:
    tried, sources = made_candidates(tmp_path, one="throughput")
    options = Options(budget=60, began=time.monotonic() - 59, design="pairs")
    runner: Any = FakeRunner(noisy({BASE: 0.02, STEP: 0.01}))
    with pytest.raises(UsageError, match="too small"):
        Session(runner, tried, sources, options, NullObserver()).run()


def test_what_does_not_fit_is_told_before(tmp_path: Path) -> None:
    claims = dict.fromkeys(("one", "two", "three", "four"), "throughput")
    tried, sources = made_candidates(tmp_path, **claims)
    runner = FakeRunner(lambda name, setting: run(step=0.5))
    options = Options(budget=200, design="pairs")
    session = Session(runner, tried, sources, options, NullObserver())  # type: ignore[arg-type]
    outcome = session.run()
    assert "the budget is enough for" in outcome.notes[0]
    assert "four" in outcome.notes[0]


def test_a_budget_too_small_for_turns_is_enough_for_runs(tmp_path: Path) -> None:
    tried, sources = made_candidates(tmp_path, one="throughput")
    slow = run(step=0.5, workers=4)
    for budget, duets in ((274.0, 0), (1200.0, 1)):
        runner = Both(lambda name, setting: slow, lambda n: (run(code=1), run(code=1)))
        options = Options(budget=budget)
        session = Session(runner, tried, sources, options, NullObserver())  # type: ignore[arg-type]
        session.run()
        assert (runner.restarts > 0) == bool(duets), budget


def test_pairs_of_earlier_runs_stand_beside_new_ones(tmp_path: Path) -> None:
    """A pair at a time says nothing alone; over a few runs it does, and then no more is run."""
    tried, sources = made_candidates(tmp_path, one="throughput")
    give = noisy({BASE: 0.0125, STEP: 0.01})
    seen = []
    for _ in range(12):
        runner: Any = FakeRunner(give)
        options = Options(budget=60, design="pairs", pairs=1)
        outcome = Session(runner, tried, sources, options, NullObserver(), Kept(tmp_path)).run()
        (result,) = outcome.results
        assert result.measured is not None
        timed = [s for _, s in runner.asked if not (s.look or s.by_epoch)]
        seen.append((result.verdict, len(result.measured.all), len(timed)))
    assert seen[0] == (Verdict.INCONCLUSIVE, 1, 2)
    assert seen[-1][0] is Verdict.CONFIRMED
    assert seen[-1][2] == 0, "what is clear is not measured again"
    (tmp_path / "train.py").write_text("f()  # another\n")
    changed, sources = made_candidates(tmp_path, one="throughput")
    (tmp_path / "train.py").write_text("f(2)\n")
    runner = FakeRunner(give)
    options = Options(budget=60, design="pairs", pairs=1)
    outcome = Session(runner, changed, Sources(), options, NullObserver(), Kept(tmp_path)).run()
    assert outcome.results[0].measured is not None
    assert len(outcome.results[0].measured.all) == 1, "of another text nothing is known"
