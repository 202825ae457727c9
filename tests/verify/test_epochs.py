"""What an epoch of real length would take, by short ones."""

from __future__ import annotations

import math

import pytest

from dlint.verify.measure import windows
from dlint.verify.measure.epochs import epoch_model, epoch_seconds, epoch_slices, log_ratio
from dlint.verify.measure.interleaved import SLICES
from dlint.verify.measure.pairs import EPOCH, Pairs, Rule
from dlint.verify.measure.record import Epoch, Window
from dlint.verify.run.runner import Run, Setting, Variant
from tests.verify.made import Both, noisy, run

STEP, BOUNDARY, WAIT = 0.01, 0.5, 30.0


def _taken(short: int, skip: int, steps: int, length: int = 1000, step: float = STEP) -> Run:
    """A run whose epochs of some batches each begin slowly; it waits for its turns."""
    now, entered, turns = 0.0, [], []
    begin = 0.0
    for number in range(SLICES * (skip + steps) + 1):
        now += BOUNDARY if number and number % short == 0 else 0.0
        entered.append(now)
        place = number % (skip + steps)
        if place == 0:
            if number:
                turns.append((number - steps, steps, now - begin))
            now += WAIT
        if place == skip:
            begin = now
        now += step
    made = run()
    count = len(entered)
    epochs = [
        Epoch(kind="new", start=entered[n], batches=min(short, count - n), wait=0.0, end=now)
        for n in range(0, count, short)
    ]
    window = Window(
        first_step=0,
        steps=steps * SLICES,
        seconds=1.0,
        optimizer_steps=1,
        epochs=1,
        opened=0.1,
        slices=tuple(turns),
    )
    loader = (
        made.records[0]
        .loaders[0]
        .model_copy(update={"length": length, "entered": tuple(entered), "epochs": tuple(epochs)})
    )
    made.records[0] = made.records[0].model_copy(update={"window": window, "loaders": (loader,)})
    return made


@pytest.mark.parametrize(("short", "steps"), [(20, 20), (10, 30)])
def test_turns_of_whole_epochs_tell_both_parts(short: int, steps: int) -> None:
    taken = _taken(short, 3, steps)
    model = epoch_model(taken)
    assert model is not None
    assert model.step == pytest.approx(STEP)
    assert model.boundary == pytest.approx(BOUNDARY)
    assert epoch_slices(taken) == pytest.approx([BOUNDARY + 1000 * STEP] * SLICES)
    assert epoch_seconds(taken) == pytest.approx(BOUNDARY + 1000 * STEP)


def test_epochs_that_the_program_leaves_early_are_as_long_as_it_stays() -> None:
    left = _taken(20, 3, 20)
    record = left.records[0]
    early = [epoch.model_copy(update={"end": None}) for epoch in record.loaders[0].epochs]
    loader = record.loaders[0].model_copy(update={"epochs": tuple(early)})
    for window in (record.window, None):
        left.records[0] = record.model_copy(update={"loaders": (loader,), "window": window})
        model = epoch_model(left)
        assert model is not None
        assert (model.steps, model.cut) == (20, False)
        assert model.boundary >= BOUNDARY * 0.99
        assert windows.epoch_turns(windows.Pace(2.0, 0.01, None), [loader], 2.0).steps == 40


def test_turns_of_parts_of_epochs_tell_nothing() -> None:
    taken = _taken(20, 3, 16)
    assert epoch_model(taken) is None, "the pauses between turns belong to no epoch"
    assert epoch_slices(taken) == []


def test_a_step_counts_the_same_where_epochs_were_cut() -> None:
    slow, fast = _taken(20, 3, 20, step=0.011), _taken(20, 3, 20)
    assert log_ratio(slow, fast) == pytest.approx(0)
    whole = [_taken(20, 3, 20, length=20, step=step) for step in (0.011, STEP)]
    expected = math.log((BOUNDARY + 20 * 0.011) / (BOUNDARY + 20 * STEP))
    assert log_ratio(*whole) == pytest.approx(expected)


def test_epochs_that_take_turns_are_judged_by_all_of_them() -> None:
    before, after = _taken(20, 3, 20), _taken(20, 3, 20, length=100)
    runner = Both(noisy({}), lambda n: (before, after))
    sides = Variant("before", {}), Variant("after", {})
    turns = Setting(0, 20, skip=3, by_epoch=True)
    pairs = Pairs(runner, *sides, Setting(), EPOCH, turns=turns)  # type: ignore[arg-type]
    found = pairs.measure(Rule(0.985, 0.03, 4, math.inf))
    assert found.ratios == pytest.approx([math.log((0.5 + 10) / (0.5 + 1))] * 4)
    assert found.after.values == pytest.approx([1.5] * 4)
    assert len(found.order) == 4 * 2 * SLICES
