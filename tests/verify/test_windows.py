"""Which part of a run is measured."""

from __future__ import annotations

import pytest

from dlint.verify.measure import windows
from dlint.verify.measure.record import Epoch, LoaderRecord
from tests.verify.made import loader


@pytest.mark.parametrize(
    ("length", "step", "cap", "steps"),
    [
        (12_500, 0.001, 400, 2000),  # as long as the time allows
        (12_500, 1.0, 26, 130),  # never shorter than the queue
        (100, 0.001, None, 500),  # whole epochs fit
    ],
)
def test_epochs_are_cut_where_they_would_take_too_long(
    length: int, step: float, cap: int | None, steps: int
) -> None:
    loaders = [loader(workers=4).model_copy(update={"length": length})]
    known = windows.Pace(startup=2.0, step=step, batches=None)
    setting = windows.of_epochs(known, loaders, seconds=2.0)
    assert setting is not None
    assert (setting.epoch_cap, setting.steps) == (cap, steps)


@pytest.mark.parametrize(
    ("length", "cap", "steps"),
    [
        (12_500, 250, 250),
        (100, None, 300),  # whole epochs, of which one would be too short
        (8, None, 256),
    ],
)
def test_turns_hold_whole_epochs(length: int, cap: int | None, steps: int) -> None:
    loaders = [loader(workers=4).model_copy(update={"length": length})]
    known = windows.Pace(startup=2.0, step=0.001, batches=None)
    turns = windows.epoch_turns(known, loaders, seconds=2.0)
    assert turns is not None
    assert (turns.epoch_cap, turns.steps, turns.skip) == (cap, steps, 18)
    assert turns.by_epoch


def test_turns_behind_a_long_queue_take_longer_than_runs() -> None:
    known = windows.Pace(startup=2.0, step=0.5, batches=None)
    setting = windows.Setting(warmup=21, steps=64)
    turns = windows.turns(setting, known, [loader(workers=4)])
    assert windows.seconds_apart(known, setting) == 2 * (2 + 85 * 0.5 + 0.5)
    assert windows.seconds_at_once(known, turns) == 3 + 16 * (34 * 0.5 + 0.3) + 0.5


def test_a_script_may_have_too_few_batches_for_turns() -> None:
    known = windows.Pace(startup=2.0, step=0.01, batches=320)
    turns = windows.Setting(warmup=0, steps=30, skip=10)
    assert not windows.suffice(known, turns)
    assert windows.suffice(known._replace(batches=321), turns)
    assert windows.suffice(known._replace(batches=None), turns)


def _passes(*batches: int, ended: int = 0) -> LoaderRecord:
    """A loader of 500 batches with passes of these lengths, of which the last ones came to their
    end."""
    first = len(batches) - ended
    epochs = tuple(
        Epoch(kind="new", start=0.0, batches=count, wait=0.0, end=1.0 if n >= first else None)
        for n, count in enumerate(batches)
    )
    return loader().model_copy(update={"length": 500, "epochs": epochs})


def test_a_batch_that_is_looked_at_is_no_epoch() -> None:
    peeked = _passes(1, 119)
    assert (peeked.epoch_length, peeked.passes) == (500, [1])
    whole = _passes(1, 500, 500, ended=2)
    assert (whole.epoch_length, whole.passes) == (500, [1, 2])
    left = _passes(1, 50, 50, 19)
    assert (left.epoch_length, left.passes) == (50, [1, 2, 3])
    assert _passes().epoch_length == 500


def test_without_a_length_there_are_no_epochs() -> None:
    loaders = [loader().model_copy(update={"length": None})]
    known = windows.Pace(startup=2.0, step=0.001, batches=None)
    assert windows.of_epochs(known, loaders, seconds=2.0) is None
    assert windows.epoch_turns(known, loaders, seconds=2.0) is None
