"""What an epoch of real length would take, by short ones."""

from __future__ import annotations

import pytest

from dlint.verify.duet import SLICES
from dlint.verify.epochs import epoch_model, epoch_seconds, epoch_slices
from dlint.verify.record import Epoch, Window
from dlint.verify.runner import Run
from tests.verify.made import run

STEP, BOUNDARY, WAIT = 0.01, 0.5, 30.0


def _taken(short: int, skip: int, steps: int) -> Run:
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
        now += STEP
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
        .model_copy(update={"length": 1000, "entered": tuple(entered), "epochs": tuple(epochs)})
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


def test_turns_of_parts_of_epochs_tell_nothing() -> None:
    taken = _taken(20, 3, 16)
    assert epoch_model(taken) is None, "the pauses between turns belong to no epoch"
    assert epoch_slices(taken) == []
