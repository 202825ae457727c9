"""How long a verification takes, on a machine that is made up: starts, steps and turns cost what
they are planned to, give or take some noise."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dlint.verify.judge.foresight import UNKNOWN
from dlint.verify.judge.kept import Kept
from dlint.verify.judge.results import Outcome, Verdict
from dlint.verify.measure.record import Epoch
from dlint.verify.options import Options
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report.watching import NullObserver, Observer
from dlint.verify.run.live import OUT_OF_TIME
from dlint.verify.run.runner import Run, RunConfig, Variant
from dlint.verify.session import Session
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from tests.verify.made import FakeRunner, run, took_turns

_LEAVING = 0.5


class Machine(FakeRunner):
    """Runs programs that take `start` seconds to begin; of several at once each half as long
    again for twice as many."""

    def __init__(
        self,
        start: float,
        steps: Sequence[float],
        seed: int,
        spread: float,
        length: int = 100_000,
        boundary: float = 0.0,
    ) -> None:
        """An epoch takes so many steps, and `boundary` seconds beyond them."""
        super().__init__(lambda name, setting: run())
        self._length, self._boundary = length, boundary
        self.couples: list[int] = []
        self.now, self._start, self._steps = 0.0, start, steps
        self._draw, self._spread = random.Random(seed), spread

    def at_once(self, variants: Sequence[Variant], setting: RunConfig) -> list[Run]:
        begun, self.count = self.now, self.count + len(variants)
        self._pass(self._start * 1.5 ** math.log2(len(variants)), setting)
        self._pass(max(self._window(self._step(v), setting) for v in variants), setting)
        return [self._run(variant, setting, self.now - begun) for variant in variants]

    def run(self, variant: Variant, setting: RunConfig) -> Run:
        return self.at_once([variant], setting)[0]

    def duets(self, couples: Sequence[tuple[Sequence[Variant], RunConfig]]) -> list[list[Run]]:
        self.count += 2 * len(couples)
        self.couples.append(len(couples))
        self._pass(self._start * 1.5 ** math.log2(2 * len(couples)), couples[0][1])
        return [self._duet(variants, setting) for variants, setting in couples]

    def _duet(self, variants: Sequence[Variant], setting: RunConfig) -> list[Run]:
        found = []
        for variant in variants:
            step = self._step(variant) * self._slower()
            turns = [self._slower() for _ in range(setting.turns)]
            for slow in turns:
                self._pass(setting.settle + (setting.skip + setting.steps) * step * slow, setting)
            made = took_turns(step, setting.steps, turns)
            if setting.epoch_cap is not None:
                made = self._in_short_epochs(made, step, setting.epoch_cap)
            found.append(replace(made, over=self._over(setting)))
        return found

    def _run(self, variant: Variant, setting: RunConfig, seconds: float) -> Run:
        made = run(step=self._step(variant))
        (record,) = made.records
        own = record.loaders[0].model_copy(update={"length": self._length})
        update = {"loaders": (own,), "first_batch_seconds": self._start}
        records = [record.model_copy(update=update)]
        return replace(made, records=records, seconds=seconds, over=self._over(setting))

    def _in_short_epochs(self, made: Run, step: float, cap: int) -> Run:
        each = cap * step + self._boundary
        starts = [number * each for number in range(5)]
        epochs = [
            Epoch(kind="new", start=start, batches=cap, wait=0.0, end=start + cap * step)
            for start in starts
        ]
        entered = tuple(start + n * step for start in starts for n in range(cap))
        update = {"epochs": tuple(epochs), "entered": entered, "batches": len(entered)}
        own = made.records[0].loaders[0].model_copy(update={**update, "length": self._length})
        return replace(made, records=[made.records[0].model_copy(update={"loaders": (own,)})])

    def _window(self, step: float, setting: RunConfig) -> float:
        seconds = (setting.warmup + setting.steps) * step * self._slower()
        return min(seconds, setting.seconds or math.inf) + _LEAVING

    def _step(self, variant: Variant) -> float:
        return self._steps[bool(variant.settings)]

    def _slower(self) -> float:
        return math.exp(self._draw.gauss(0, self._spread))

    def _pass(self, seconds: float, setting: RunConfig) -> None:
        self.now = min(self.now + seconds * self._slower(), max(self.now, setting.ends))

    def _over(self, setting: RunConfig) -> str | None:
        return OUT_OF_TIME if self.now >= setting.ends else None


def _verified(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path | None = None,
    observer: Observer | None = None,
    **options: Any,
) -> Outcome:
    monkeypatch.setattr("time.monotonic", lambda: machine.now)
    tried = [from_settings((("num_workers", 2),))]
    given: Any = machine
    set_ = Options(where_it_waits=False, **options)
    told = observer or NullObserver()
    return Session(given, tried, Sources(), set_, told, Kept(folder)).run()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("speedup", "within"), [(2.0, 60), (1.25, 120)])
def test_a_script_that_begins_in_five_seconds(
    speedup: float, within: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(5.0, (0.02, 0.02 / speedup), seed, spread=0.01)
    outcome = _verified(machine, monkeypatch, budget=180.0)
    assert [result.verdict for result in outcome.results] == [Verdict.CONFIRMED]
    assert machine.now <= within


@pytest.mark.parametrize("seed", range(5))
def test_the_usual_budget_is_enough_for_a_script_that_begins_in_ten(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(10.0, (0.02, 0.01), seed, spread=0.03)
    outcome = _verified(machine, monkeypatch)
    assert [result.verdict for result in outcome.results] == [Verdict.CONFIRMED]


def test_epochs_are_seen_beside_the_first_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies between the steps stays: steps are twice as fast, an epoch is 1.5 times."""
    machine = Machine(5.0, (0.02, 0.01), 1, spread=0.002, length=1000, boundary=10.0)
    outcome = _verified(machine, monkeypatch)
    (result,) = outcome.results
    assert result.estimate is not None
    assert result.estimate.speedup == pytest.approx(30 / 20, rel=0.02)
    assert result.details["step"]["speedup"] == pytest.approx(2.0, rel=0.02)
    assert result.details["epoch"]["how"] == "modelled"
    assert machine.couples == [3, 2], "with the first two restarts, a run of each for the epochs"


@pytest.mark.parametrize("design", ["duet", "pairs"])
@pytest.mark.parametrize("budget", [15.0, 60.0, 180.0, 600.0])
@pytest.mark.parametrize("step", [0.004, 0.1, 2.0])
@pytest.mark.parametrize("start", [0.5, 5.0, 30.0, 120.0])
def test_a_budget_is_kept_or_refused(
    start: float, step: float, budget: float, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(start, (step, step), seed=1, spread=0.1)
    with suppress(UsageError):
        _verified(machine, monkeypatch, budget=budget, design=design)
    assert machine.now <= 1.15 * budget


class _Told(NullObserver):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def doing(self, text: str) -> None:
        self.lines.append(text)


def _fitting(
    start: float, monkeypatch: pytest.MonkeyPatch, folder: Path, budget: float, step: float = 0.02
) -> tuple[float, float]:
    """The budget that a refusal names, and when it came."""
    machine = Machine(start, (step, step), seed=1, spread=0.01)
    with pytest.raises(UsageError) as refused:
        _verified(machine, monkeypatch, folder, budget=budget)
    (named,) = re.findall(r"`--budget (\d+)s`$|`--budget (\d+)s` \(", str(refused.value))
    return float("".join(named)), machine.now


@pytest.mark.parametrize("step", [0.02, 0.5])
def test_what_a_refused_run_learnt_refuses_the_next_one_at_once(
    step: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits, took = _fitting(30.0, monkeypatch, tmp_path, 90.0, step)
    assert took > 30
    again, took = _fitting(30.0, monkeypatch, tmp_path, 90.0, step)
    assert took == 0
    assert again == pytest.approx(fits, rel=0.25)
    machine = Machine(30.0, (step, step), seed=1, spread=0.01)
    assert _verified(machine, monkeypatch, tmp_path, budget=max(fits, again)).results
    assert machine.now <= 1.15 * max(fits, again)


def test_a_script_that_did_not_come_to_an_end_is_known_to_take_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, took = _fitting(300.0, monkeypatch, tmp_path, 60.0)
    assert took >= 50
    assert _fitting(300.0, monkeypatch, tmp_path, 50.0) == (240.0, 0.0)
    assert _fitting(300.0, monkeypatch, tmp_path, 100.0)[1] > 0, "that may be enough"


def test_what_an_edited_script_takes_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text, at_once in (("1", False), ("1", True), ("2", False)):
        (tmp_path / "train.py").write_text(text)
        assert (_fitting(30.0, monkeypatch, tmp_path, 90.0)[1] == 0) is at_once


def test_a_budget_that_no_script_could_meet_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for budget in (1.0, 5.0, 9.0):
        assert _fitting(0.0, monkeypatch, tmp_path, budget) == (15.0, 0.0)


def test_it_is_said_whether_anything_is_known_of_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        told, machine = _Told(), Machine(1.0, (0.02, 0.02), seed=1, spread=0.01)
        _verified(machine, monkeypatch, tmp_path, told)
        assert (UNKNOWN in told.lines) is (number == 0)
    (path,) = (tmp_path / ".dlint" / "verify" / "starts").glob("*.json")
    path.write_text(path.read_text().replace('"seconds": ', '"seconds": -'))
    told = _Told()
    _verified(machine, monkeypatch, tmp_path, told)
    assert UNKNOWN in told.lines, "what is broken is not believed"


def test_beside_others_less_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five pairs that tell 1.03x on were foreseen by the noise of one look, and two were run."""
    found = []
    for busy in (False, True):
        told, machine = _Told(), Machine(5.0, (0.02, 0.02), seed=1, spread=0.01)
        _verified(machine, monkeypatch, observer=told, busy=busy)
        (line,) = [line for line in told.lines if "which tell a speedup from" in line]
        found.append(
            [float(number) for number in re.findall(r"from (?:about )?([\d.]+)x on", line)]
        )
        assert ("as busy as this" in line) is busy
    assert found[1][0] == found[0][0]
    assert found[1][1] > 1.3
