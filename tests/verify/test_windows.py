"""Which part of a run is measured."""

from __future__ import annotations

import pytest

from dlint.verify.judge.seen import details_of
from dlint.verify.measure import windows
from dlint.verify.measure.pairs import Measured, Sample
from dlint.verify.measure.record import DatasetMade, Epoch, LoaderRecord, Window
from dlint.verify.report.words import _waiting
from dlint.verify.run.runner import Run
from tests.verify.made import loader, run, took_turns


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
    setting = windows.RunConfig(warmup=21, steps=64)
    turns = windows.turns(setting, known, [loader(workers=4)])
    assert windows.seconds_apart(known, setting) == 2 * (2 + 85 * 0.5 + 0.5)
    assert windows.seconds_at_once(known, turns) == 3 + 8 * (34 * 0.5 + 0.3) + 0.5


def test_a_script_may_have_too_few_batches_for_turns() -> None:
    known = windows.Pace(startup=2.0, step=0.01, batches=320)
    turns = windows.RunConfig(warmup=0, steps=30, skip=10)
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


def test_starting_workers_is_waiting_for_data() -> None:
    """An iterator whose making takes a second, at the third of ten steps of a window."""
    made = run(step=0.1)
    (own,) = made.records[0].loaders
    entered = [*(0.1 * n for n in range(12)), *(1.0 + 0.1 * n for n in range(12, 60))]
    begins = Epoch(kind="new", start=1.2, ready=2.2, batches=20, wait=0.0)
    window = Window(first_step=10, steps=10, seconds=2.0, optimizer_steps=10, epochs=1, opened=0.0)
    loader_ = own.model_copy(
        update={"entered": tuple(entered), "given": tuple(entered), "epochs": (begins,)}
    )
    update = {"loaders": (loader_,), "window": window}
    made.records[0] = made.records[0].model_copy(update=update)
    assert windows.wait_shares(made) == {0: pytest.approx(0.5)}
    assert sum(windows.waits(made)) == pytest.approx(1.0)
    looked = made.records[0].model_copy(update={"hashing_seconds": 0.5})
    made.records[0] = looked
    assert windows.wait_shares(made) == {0: pytest.approx(1 / 1.5)}, "hashes are nobody's time"


def test_how_long_datasets_take_is_told_where_it_is_no_noise() -> None:
    def differ(*seconds: tuple[float, float]) -> object:
        runs = [[_with_dataset(s) for s in side] for side in zip(*seconds, strict=True)]
        sides = [Sample([0.02] * len(side), side) for side in runs]
        return details_of(Measured(before=sides[0], after=sides[1]))["datasets_differ"]

    assert differ((1.0, 1.4), (1.1, 1.5)) is False, "noise of two runs a side"
    assert differ((4.0, 0.0), (4.1, 0.0)) is True
    assert differ((4.0, 0.0)) is False


def _with_dataset(seconds: float) -> Run:
    made = run(step=0.02)
    update = {"datasets": (DatasetMade(seconds=seconds),)}
    made.records[0] = made.records[0].model_copy(update=update)
    return made


def test_the_rank_that_waits_most_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks in step are as fast as each other: where the time goes differs."""
    quick, slow = loader(step=0.02), loader(step=0.02)
    slow = slow.model_copy(update={"given": tuple(t + 0.015 for t in slow.entered)})
    made = run(step=0.02, ranks=[quick, slow])
    shares = windows.wait_shares(made)
    assert shares == {0: 0.0, 1: pytest.approx(0.75, abs=0.01)}
    found = Measured(before=Sample([0.02] * 2, [made] * 2), after=Sample([0.02] * 2, [made] * 2))
    details = details_of(found)
    assert (details["before"]["wait_rank"], len(details["before"]["wait_shares"])) == (1, 2)
    told = _waiting(details["before"], details["after"])
    assert told == ["waiting for data: 75% of the time, then 75% (of 2 ranks, rank 1 waits most)"]
    assert sum(windows.waits(made)) == pytest.approx(0.015 * 40), "and it is drawn"


def test_blocks_of_a_window_are_as_long_as_it_is_and_hold_its_stalls() -> None:
    made = run(step=0.01)
    blocks = windows.block_seconds(made)
    assert blocks == pytest.approx([0.01] * 8)
    (own,) = made.records[0].loaders
    stalled = tuple(t + (0.4 if n > 20 else 0.0) for n, t in enumerate(own.entered))
    window = made.records[0].window
    assert window is not None
    longer = window.model_copy(update={"seconds": window.seconds + 0.4})
    update = {"loaders": (own.model_copy(update={"entered": stalled}),), "window": longer}
    made.records[0] = made.records[0].model_copy(update=update)
    blocks = windows.block_seconds(made)
    assert sum(blocks) / 8 == pytest.approx(0.02)
    assert max(blocks) == pytest.approx(0.01 + 0.4 / 5)


def test_the_noise_of_a_window_is_that_of_its_parts() -> None:
    calm = run(step=0.01)
    assert windows.noise(calm) == pytest.approx(0.0, abs=1e-9)
    (own,) = calm.records[0].loaders
    shaky = tuple(t + 0.01 * (n // 5 % 2) for n, t in enumerate(own.entered))
    update = {"loaders": (own.model_copy(update={"entered": shaky}),)}
    calm.records[0] = calm.records[0].model_copy(update=update)
    assert windows.noise(calm) == pytest.approx(0.2 * (8 / 7) ** 0.5 * 0.5, rel=0.1)
    assert windows.noise(took_turns(0.01, turns=(1.0,) * 4)) == 0.0


def _seen(length: int, period: float) -> LoaderRecord:
    """A loader of which three epochs were seen."""
    epochs = tuple(
        Epoch(kind="new", start=period * n, batches=length, wait=0.0, end=period * n + 0.1)
        for n in range(3)
    )
    return loader().model_copy(update={"length": length, "epochs": epochs})


def test_short_epochs_are_run_whole() -> None:
    known = windows.Pace(startup=5.0, step=0.03, batches=None)
    found = windows.whole_epochs(known, [_seen(50, 2.6)], seconds=15.0)
    assert found is not None
    runs, turns = found
    assert (turns.steps, turns.turns, turns.epoch_cap) == (50, 4, None)
    assert runs.steps % 50 == 0
    assert windows.whole_epochs(known, [_seen(50, 2.6)], seconds=12.0) is None
    assert windows.whole_epochs(known, [_seen(50, 2.6), _seen(60, 2.6)], 60.0) is None
    assert windows.whole_epochs(known, [loader()], 60.0) is None
    ended = known._replace(batches=200)
    assert windows.whole_epochs(ended, [_seen(50, 2.6)], 60.0) is None


def test_windows_begin_later_each_time_as_far_as_there_are_batches() -> None:
    known = windows.Pace(startup=5.0, step=0.03, batches=None)
    setting, turns = windows.RunConfig(10, 100), windows.RunConfig(10, 16, skip=6)
    assert windows.jitter(known, setting, None) == 100
    assert windows.jitter(known, setting, turns) == 44
    assert windows.jitter(known._replace(batches=130), setting, None) == 18
    assert windows.jitter(known._replace(batches=100), setting, None) == 0
    assert windows.jitter(known, setting._replace(by_epoch=True), None) == 0


def test_turns_that_take_long_are_fewer() -> None:
    """Behind a long queue, each begins with many steps that do not count."""
    queue = loader(workers=8).model_copy(update={"prefetch_factor": 2})
    for step, expected in ((0.01, 8), (0.1, 4)):
        known = windows.Pace(1.0, step, None)
        setting = windows.timed(known, [queue], windows.Asked(), 1.5)
        assert windows.turns(setting, known, [queue]).turns == expected
