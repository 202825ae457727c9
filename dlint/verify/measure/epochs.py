"""An epoch of real length, from short ones: what it takes beyond its steps, and a step."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from dlint.verify.measure.record import Epoch, LoaderRecord
from dlint.verify.run.runner import Run


class EpochModel(NamedTuple):
    """An epoch as its fixed part and its steps."""

    boundary: float
    """Seconds that an epoch takes beyond its steps: workers started, queues filled, drained."""
    step: float
    steps: int
    cut: bool = False
    """Whether the epochs that were run were shorter than that."""

    @property
    def seconds(self) -> float:
        """A whole epoch."""
        return self.boundary + self.steps * self.step


def epoch_model(run: Run) -> EpochModel | None:
    """The model of a run of several epochs, projected to their real length."""
    found = _models(run)
    if not found:
        return None
    boundary = statistics.fmean(model.boundary for model in found)
    return found[0]._replace(
        boundary=boundary, step=statistics.fmean(model.step for model in found)
    )


def epoch_blocks(run: Run) -> list[float]:
    """Seconds of an epoch of real length, by turns or epochs; none where a turn holds no whole
    epochs."""
    return [model.seconds for model in _models(run)]


def equal_steps(before: Run, after: Run) -> tuple[list[float], list[float]]:
    """The same of two runs, for a fix that acts where epochs begin. Where they were cut short, a
    step is taken to cost the same on both sides: its noise, times the steps of an epoch of real
    length, would be more than all that happens between epochs."""
    sides = _models(before), _models(after)
    if len(sides[0]) != len(sides[1]):
        means = epoch_model(before), epoch_model(after)
        sides = [m for m in means[:1] if m], [m for m in means[1:] if m]
    rows = [_equal(one, two) for one, two in zip(*sides, strict=True)]
    return [one.seconds for one, _ in rows], [two.seconds for _, two in rows]


def _equal(before: EpochModel, after: EpochModel) -> tuple[EpochModel, EpochModel]:
    if not (before.cut or after.cut):
        return before, after
    step = (before.step + after.step) / 2
    return before._replace(step=step), after._replace(step=step)


def step_blocks(run: Run) -> list[float]:
    """Seconds of a step between two batches of an epoch, of each turn or of the run."""
    return [model.step for model in _models(run)]


def boundaries(run: Run) -> list[float]:
    """Seconds beyond its steps of each epoch of a run that another one follows: workers started,
    queues filled and drained, validation, checkpoints. The first one is left out: it is cold."""
    loader = run.training
    step = None if loader is None else _steady_step(loader, 0, loader.batches)
    if loader is None or step is None:
        return []
    return [max(0.0, seconds) for seconds in _beyond(loader, step, loader.epochs[2:])]


def _beyond(loader: LoaderRecord, step: float, later: Sequence[Epoch | None]) -> list[float]:
    """The same of the epochs that come before these."""
    rows = zip(loader.epochs[1:], later, strict=False)
    whole = [(e, _seconds(e, after, step)) for e, after in rows if e.batches > 1]
    return [seconds - e.batches * step for e, seconds in whole if seconds is not None]


def _models(run: Run) -> list[EpochModel]:
    """The model of each turn, or else of each epoch of the run; none where there is none."""
    loader, record = run.training, run.record
    length = None if loader is None else loader.epoch_length
    if record is None or loader is None or length is None:
        return []
    if record.window is not None and record.window.slices:
        found = [_of_turn(loader, length, turn) for turn in record.window.slices]
    else:
        return _of_whole_epochs(loader, length)
    models = [model for model in found if model is not None]
    return models if len(models) == len(found) else []


def _of_whole_epochs(loader: LoaderRecord, length: int) -> list[EpochModel]:
    step = _steady_step(loader, 0, loader.batches)
    if step is None:
        return []
    cut = _longest(loader) < length
    # What follows the last epoch was not seen to its end: it counts where there is no other.
    found = _beyond(loader, step, loader.epochs[2:]) or _beyond(loader, step, [None])
    fixed = [max(0.0, s) if cut else s for s in found]
    return [EpochModel(seconds, step, length, cut) for seconds in fixed]


def _seconds(epoch: Epoch, after: Epoch | None, step: float) -> float | None:
    """How long an epoch took, with all that comes before the next one; None of one that goes on.
    Where nobody asked for a batch behind the last one, what is done with that one is not in it."""
    if after is not None:
        return after.start - epoch.start
    if epoch.end is None:
        return None
    return epoch.end - epoch.start + (step if epoch.tail is None else 0.0)


def _of_turn(loader: LoaderRecord, length: int, turn: tuple[int, int, float]) -> EpochModel | None:
    """The model of a turn; None of one that holds more or less than whole epochs."""
    first, steps, seconds = turn
    begun = sum(first < start <= first + steps for start in _starts(loader))
    step = _steady_step(loader, first, first + steps)
    if step is None or begun * _longest(loader) != steps:
        return None
    boundary, cut = (seconds - steps * step) / begun, _longest(loader) < length
    return EpochModel(max(0.0, boundary) if cut else boundary, step, length, cut)


def _longest(loader: LoaderRecord) -> int:
    return max((epoch.batches for epoch in loader.epochs), default=0)


def _starts(loader: LoaderRecord) -> Sequence[int]:
    """The first batch of each epoch."""
    found = [0]
    for epoch in loader.epochs:
        found.append(found[-1] + epoch.batches)
    return found[:-1]


def _steady_step(loader: LoaderRecord, first: int, last: int) -> float | None:
    """Seconds a step in the second half of the epochs, when the queue filled at first is empty;
    between two batches."""
    seconds, count = 0.0, 0
    half = _longest(loader) // 2
    for epoch, start in zip(loader.epochs, _starts(loader), strict=True):
        begin = max(first, start + half)
        end = min(last, start + epoch.batches, len(loader.moments)) - 1
        if end > begin:
            seconds += loader.moments[end] - loader.moments[begin]
            count += end - begin
    return seconds / count if count else None
