"""Two variants that live at once and take turns."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.judge.statistics import Decision
from dlint.verify.measure import interleaved, windows
from dlint.verify.measure.pairs import STEP, Beside, Pairs, Rule
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.probe.dlint_probe.gate import Gate
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant
from tests.verify.conftest import COMMON, write
from tests.verify.made import Both, loader, noisy, run, took_turns
from tests.warm import PYTHON

TEXT = """
from common import *
if __name__ == "__main__":
    model, optimizer = make()
    loader = DataLoader(Rows(delay=DELAY), 8, num_workers=1)
    for epoch in range(100):
        for x, y in loader:
            step(model, optimizer, x, y)
"""
RULE = Rule(0.95, 0.03, 12, math.inf)
SIDES = Variant("before", {}), Variant("after", {})


def _pairs(runner: Both, couples: int = 1) -> Pairs:
    turns = RunConfig(10, 10, skip=2)
    given: Any = runner
    return Pairs(given, *SIDES, RunConfig(), STEP, turns=turns, couples=couples)


def test_a_restart_is_one_number() -> None:
    steps: Mapping[str, float] = {"before": 0.02, "after": 0.01}
    runner = Both(noisy(steps), lambda n: (took_turns(0.02 + n * 1e-5), took_turns(0.01)))
    found = _pairs(runner).measure(RULE)
    assert found.estimate is not None
    assert found.estimate.call is Decision.FASTER
    assert found.estimate.speedup == pytest.approx(2, rel=0.01)
    assert (runner.restarts, len(found.ratios), len(found.before.runs)) == (2, 2, 2)
    turns = "".join(side for side, _ in found.order)
    assert turns == "ABBAABBAABBAABBA" + "BAABBAABBAABBAAB"
    assert {value for side, value in found.order if side == "B"} == {0.01}
    assert runner.orders == [["before", "after"], ["after", "before"]]
    assert not runner.asked


def test_what_cannot_live_at_once_runs_one_after_the_other() -> None:
    steps = {"before": 0.02, "after": 0.01}
    runner = Both(noisy(steps), lambda n: (took_turns(0.02), run(code=1)))
    found = _pairs(runner).measure(RULE)
    assert found.estimate is not None
    assert found.estimate.call is Decision.FASTER
    assert runner.restarts == 2
    assert len(runner.asked) == 6


def test_turns_are_longer_than_the_queue() -> None:
    workers = loader(workers=4)
    known = windows.Pace(startup=2.0, step=0.01, batches=None)
    turns = windows.turns(RunConfig(10, 80), known, [workers, loader()])
    assert (turns.steps, turns.skip, turns.settle) == (16, 18, 0.08)
    assert windows.turns(RunConfig(10, 80), known, [loader()]).settle == 0
    slow = known._replace(step=1.0)
    assert windows.turns(RunConfig(10, 80), slow, [workers]).settle == 0.3
    assert turns.steps % 4 == 0


def test_steps_of_turns_leave_the_pauses_out() -> None:
    made = took_turns(0.02, steps=5)
    assert len(windows.step_times(made)) <= 4 * interleaved.SLICES
    assert all(step == pytest.approx(0.02) for step in windows.step_times(made))


class _Counted:
    """A loader that has given out some batches."""

    batches = 0


def test_turns_count_batches_and_not_the_ends_of_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[bool] = []
    cuda = SimpleNamespace(
        is_initialized=lambda: True,
        device_count=lambda: 1,
        synchronize=lambda device: waits.append(True),
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    for number in range(3):
        (tmp_path / f"go.{number}").write_text("end" if number == 2 else "go")
    gate, counted = Gate(str(tmp_path), skip=2, steps=4), _Counted()
    asked = []
    while not gate.enter(counted):  # type: ignore[arg-type]
        at_the_end_of_an_epoch = counted.batches % 3 == 0 and asked[-1:] != [counted.batches]
        asked.append(counted.batches)
        counted.batches += not at_the_end_of_an_epoch
    assert [(first, steps) for first, steps, _ in gate.slices] == [(2, 4), (8, 4)]
    assert counted.batches == 12
    assert len(waits) == 4  # the device is waited for where a turn begins and where it ends
    assert sorted(path.name for path in tmp_path.glob("done.*")) == ["done.0", "done.1", "done.2"]


def test_who_waits_for_long_looks_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, looks = [0.0], []

    def sleep(seconds: float) -> None:
        now[0] += seconds
        looks.append(seconds)
        if now[0] > 3:
            (tmp_path / "go.0").write_text("end")

    monkeypatch.setattr("dlint.verify.probe.dlint_probe.gate.clock", lambda: now[0])
    monkeypatch.setattr("time.sleep", sleep)
    assert Gate(str(tmp_path), 2, 4)._ask(0.0) == "end"
    assert looks.count(0.002) == pytest.approx(500, abs=2)
    assert looks.count(0.02) == pytest.approx(100, abs=2)


def test_what_another_thread_reads_takes_no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interleaved, "_available", lambda: 1 << 40)
    read = loader().model_copy(update={"background": True})
    assert interleaved.room(run(ranks=[loader()])) == 6
    assert interleaved.room(run(ranks=[read])) == 1


def test_room_for_two_and_for_two_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    made = run()
    made.memory.peak_total = 100
    for available, room in ((1000, 6), (700, 4), (499, 2), (200, 1)):
        monkeypatch.setattr(interleaved, "_available", lambda a=available: a)
        assert interleaved.room(made) == room
    monkeypatch.setattr(interleaved, "_available", lambda: 1000)
    assert interleaved.room(run(ranks=[loader(), loader()])) == 1


class _Side:
    """A program that asked for its first turn, or did not come to that."""

    def __init__(self, folder: Path, begun: bool) -> None:
        self.gate = folder
        folder.mkdir()
        if begun:
            (folder / "done.0").touch()

    def ended(self) -> bool:
        return False


def test_what_the_budget_ends_takes_no_further_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", lambda seconds: now.append(now.pop() + seconds))
    begun, late = _Side(tmp_path / "a", begun=True), _Side(tmp_path / "b", begun=False)
    interleaved.gather([begun, begun], 300, 5)
    assert now == [0.0], "nobody is waited for"
    interleaved.gather([begun, late], 300, 5)
    assert now[0] == pytest.approx(5, abs=0.1)
    turns = interleaved.turns_of(RunConfig(limit=60, ends=9), 300)
    assert interleaved.conduct([begun, late], turns) == "the budget ended"
    assert now[0] == pytest.approx(9, abs=0.1)
    turns = interleaved.turns_of(RunConfig(limit=60), 300)
    assert interleaved.conduct([begun, late], turns) == "no turn within 360 s"
    assert interleaved.conduct([begun, begun], turns) == "a turn took more than 60 s"


def test_restarts_begin_together_where_there_is_room() -> None:
    """As many as a call needs; what is not clear then goes on with as many."""
    steps = {"before": 0.02, "after": 0.01}
    for noise, couples in ((0.0, [2]), (0.02, [2, 2, 1])):
        after = [took_turns(0.01 + noise * (n % 2)) for n in range(6)]
        runner = Both(noisy(steps), lambda n, after=after: (took_turns(0.02), after[n]))  # type: ignore[misc]
        found = _pairs(runner, couples=2).measure(RULE._replace(pairs=5))
        assert runner.together == couples
        assert runner.orders[:2] == [["before", "after"], ["after", "before"]]
        assert len(found.pairs) == sum(couples)


@pytest.mark.parametrize(("couples", "together"), [(1, [1, 1, 1]), (2, [2, 1]), (3, [3])])
def test_a_further_couple_begins_with_the_first_restarts(couples: int, together: list[int]) -> None:
    """Where there is room; else it is run before."""
    taken: list[tuple[Run, Run]] = []
    turns, other = RunConfig(10, 10, skip=2), RunConfig(0, 48, epoch_cap=12, turns=1)
    runner: Any = Both(noisy({}), lambda n: (took_turns(0.02), took_turns(0.01)))
    beside = Beside(other, lambda before, after: taken.append((before, after)))
    timed = Pairs(runner, *SIDES, RunConfig(), STEP, turns=turns, couples=couples, beside=beside)
    found = timed.measure(RULE)
    assert (runner.together, len(found.pairs)) == (together, 2)
    ((before, after),) = taken
    assert (before.step_seconds, after.step_seconds) == pytest.approx((0.02, 0.01))


def test_no_more_restarts_begin_than_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def taken(number: int) -> tuple[Run, Run]:
        nonlocal now
        now += 10
        return took_turns(0.02), took_turns(0.0199 + number * 1e-4)

    monkeypatch.setattr("time.monotonic", lambda: now)
    runner = Both(noisy({}), taken)
    rule = RULE._replace(deadline=35, end=35, expected=10)
    found = _pairs(runner, couples=2).measure(rule)
    assert (runner.together, len(found.pairs)) == ([2, 1], 3)


def test_a_couple_for_which_there_is_no_room_does_not_begin_again() -> None:
    fails = {2: (run(code=1), run(code=1))}
    runner = Both(
        noisy({}), lambda n: fails.get(n) or (took_turns(0.02), took_turns(0.0199 + n * 1e-4))
    )
    found = _pairs(runner, couples=2).measure(RULE._replace(pairs=3))
    assert (runner.together, len(found.pairs)) == ([2, 1, 1], 3)


@pytest.mark.slow
def test_two_programs_take_turns(tmp_path: Path) -> None:
    write(tmp_path, {"common.py": COMMON, "main.py": TEXT.replace("DELAY", "0.002")})
    path = (tmp_path / "main.py").resolve()
    texts = [TEXT.replace("DELAY", delay).encode() for delay in ("0.004", "0.001")]
    variants = [Variant(f"{n}", {str(path): text}) for n, text in enumerate(texts)]
    program = TargetScript(path, python=PYTHON)
    with Runner(program, tmp_path, cwd=tmp_path, startup_limit=60) as runner:
        runs = runner.duet(variants, RunConfig(5, 8, skip=6, limit=60))
        assert [made.code for made in runs] == [0, 0], [made.stderr for made in runs]
        assert all(len(interleaved.slices(made)) == interleaved.SLICES for made in runs)
        assert statistics.fmean(interleaved.slices(runs[0])) > 0.02  # eight samples that sleep 4 ms
        assert not (runner.folder / "1").exists()
        failing = Variant("x", {str(path): b"raise SystemExit(3)\n"})
        runs = runner.duet([variants[1], failing], RunConfig(5, 8, skip=6, limit=60))
    assert [made.failed for made in runs] == [True, True]
    assert runs[1].code == 3
