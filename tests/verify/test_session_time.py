"""How long a verification takes, on a machine that is made up: starts, steps and turns cost what
they are planned to, give or take some noise."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from dlint.verify.judge.results import Outcome, Verdict
from dlint.verify.measure.record import Epoch
from dlint.verify.options import Options
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report.watching import NullObserver
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


def _verified(machine: Machine, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Outcome:
    monkeypatch.setattr("time.monotonic", lambda: machine.now)
    tried = [from_settings((("num_workers", 2),))]
    given: Any = machine
    set_ = Options(where_it_waits=False, **options)
    return Session(given, tried, Sources(), set_, NullObserver()).run()


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
