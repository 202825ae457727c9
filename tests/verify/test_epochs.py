"""What an epoch of real length would take, by short ones."""

from __future__ import annotations

import math

import pytest

from dlint.verify.judge.planning import Comparing
from dlint.verify.judge.statistics import Decision, Pair
from dlint.verify.judge.whole import Beyond, Modelled, beyond
from dlint.verify.measure import windows
from dlint.verify.measure.epochs import boundaries, epoch_blocks, epoch_model, equal_steps
from dlint.verify.measure.interleaved import SLICES
from dlint.verify.measure.pairs import BOUNDARY as BY_BOUNDARY
from dlint.verify.measure.pairs import FIRST_BATCH, Measured, Pairs, Rule
from dlint.verify.measure.pairs import STEP as STEPS
from dlint.verify.measure.record import Epoch, Window
from dlint.verify.plan.claims import Observable
from dlint.verify.run.runner import Run, RunConfig, Variant
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
    assert epoch_blocks(taken) == pytest.approx([BOUNDARY + 1000 * STEP] * SLICES)


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
    assert epoch_blocks(taken) == []


def test_a_step_counts_the_same_where_epochs_were_cut() -> None:
    slow, fast = _taken(20, 3, 20, step=0.011), _taken(20, 3, 20)
    before, after = equal_steps(slow, fast)
    assert before == pytest.approx(after)
    whole = [_taken(20, 3, 20, length=20, step=step) for step in (0.011, STEP)]
    before, after = equal_steps(*whole)
    assert before == pytest.approx([BOUNDARY + 20 * 0.011] * SLICES)
    assert after == pytest.approx([BOUNDARY + 20 * STEP] * SLICES)


def test_epochs_that_take_turns_are_judged_by_all_of_them() -> None:
    before, after = _taken(20, 3, 20), _taken(20, 3, 20, length=100)
    runner = Both(noisy({}), lambda n: (before, after))
    sides = Variant("before", {}), Variant("after", {})
    turns = RunConfig(0, 20, skip=3, by_epoch=True)
    pairs = Pairs(runner, *sides, RunConfig(), BY_BOUNDARY, turns=turns)  # type: ignore[arg-type]
    found = pairs.measure(Rule(0.985, 0.03, 4, math.inf, keep_going=True))
    assert found.ratios == pytest.approx([math.log((0.5 + 10) / (0.5 + 1))] * 4)
    assert found.after.values == pytest.approx([1.5] * 4)
    assert len(found.order) == 4 * 2 * SLICES


def _with_validation(short: int, validation: float, length: int) -> Run:
    """A run of a few epochs, each followed by a validation."""
    now, entered, epochs = 0.0, [], []
    for _ in range(4):
        begin = now
        now += BOUNDARY
        for _ in range(short):
            entered.append(now)
            now += STEP
        epochs.append(Epoch(kind="new", start=begin, batches=short, wait=0.0, end=now, tail=0.0))
        now += validation
    made = run()
    changed = {"length": length, "entered": tuple(entered), "epochs": tuple(epochs)}
    (loader,) = made.records[0].loaders
    loader = loader.model_copy(update={**changed, "batches": len(entered)})
    made.records[0] = made.records[0].model_copy(update={"window": None, "loaders": (loader,)})
    return made


def test_a_validation_is_a_part_of_an_epoch() -> None:
    assert boundaries(_with_validation(20, 1.0, 1000)) == pytest.approx([BOUNDARY + 1.0] * 2)
    whole = epoch_blocks(_with_validation(20, 1.0, 20))
    assert whole == pytest.approx([BOUNDARY + 20 * STEP + 1.0] * 2)


def test_an_epoch_is_modelled_by_its_steps_and_what_lies_between() -> None:
    """50 steps and a second of validation: what halves a step is worth much less to an epoch."""
    rest = beyond([1.0, 1.01, 0.99])
    assert rest is not None
    found = Measured(pairs=[Pair((0.032,) * 8, (0.0182,) * 8)] * 5)
    rule = Rule(0.95, 0.03, 12, math.inf)
    modelled = Modelled(50, rest, rest).estimate(found, rule)
    assert modelled.speedup == pytest.approx(2.6 / 1.91, rel=1e-3)
    assert modelled.low < 2.6 / 1.91 < modelled.high
    assert modelled.call is Decision.FASTER
    long = Modelled(50, *(Beyond(100.0, 2.0),) * 2).estimate(found, rule)
    assert long.call is Decision.UNDECIDED, "what lies between is not known that well"


def test_what_the_device_reached_counts_and_not_what_was_asked_for() -> None:
    """A program asks for batches long before the device comes to them."""
    taken = _with_validation(20, 0.0, 20)
    (loader,) = taken.records[0].loaders
    reached = tuple(2 * moment for moment in loader.entered)
    loader = loader.model_copy(update={"reached": reached})
    taken.records[0] = taken.records[0].model_copy(update={"loaders": (loader,)})
    model = epoch_model(taken)
    assert model is not None
    assert model.step == pytest.approx(2 * STEP)


def test_what_is_told_of_a_comparison_is_what_a_person_gains() -> None:
    by_steps = Comparing(Observable.STEP, STEPS, RunConfig())
    assert by_steps.gained == "a step"
    found = Beyond(1.0, 0.1)
    assert by_steps._replace(model=Modelled(100, found, found)).gained == "an epoch"
    assert by_steps._replace(measure=BY_BOUNDARY).gained == "an epoch"
    assert Comparing(Observable.FIRST_BATCH, FIRST_BATCH, RunConfig()).gained == "the start"
