"""An epoch of real length, from short ones: what it takes beyond its steps, and a step."""

from __future__ import annotations

import math
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


def epoch_seconds(run: Run) -> float | None:
    """Seconds an epoch of real length."""
    model = epoch_model(run)
    return None if model is None else model.seconds


def log_ratio(before: Run, after: Run) -> float:
    """How much faster epochs were after, in runs that have a model: the mean over turns, where
    there were some.

    What is judged by epochs acts where they begin. Where they were cut short, a step is therefore
    taken to cost the same on both sides: its noise, times the steps of an epoch of real length,
    would be more than all that happens between epochs.
    """
    return statistics.fmean(map(_log_ratio, _models(before), _models(after)))


def _models(run: Run) -> list[EpochModel]:
    """The model of each turn, or else the one of the run; none where there is no such model."""
    loader, record = run.training, run.record
    length = None if loader is None else loader.epoch_length
    if record is None or loader is None or length is None:
        return []
    if record.window is not None and record.window.slices:
        found = [_of_turn(loader, length, turn) for turn in record.window.slices]
    else:
        found = [_of_whole_epochs(loader, length)]
    models = [model for model in found if model is not None]
    return models if len(models) == len(found) else []


def _log_ratio(before: EpochModel, after: EpochModel) -> float:
    if before.cut or after.cut:
        step = (before.step + after.step) / 2
        before, after = before._replace(step=step), after._replace(step=step)
    return math.log(before.seconds / after.seconds)


def epoch_slices(run: Run) -> list[float]:
    """Seconds an epoch of real length, by each turn; none where a turn holds no whole epochs."""
    return [model.seconds for model in _models(run)]


def _of_whole_epochs(loader: LoaderRecord, length: int) -> EpochModel | None:
    step = _steady_step(loader, 0, loader.batches)
    if step is None:
        return None
    rows = zip(loader.epochs[1:], [*loader.epochs[2:], None], strict=False)
    whole = [(e, _seconds(e, after, step)) for e, after in rows if e.batches > 1]
    fixed = [seconds - e.batches * step for e, seconds in whole if seconds is not None]
    if not fixed:
        return None
    return EpochModel(max(0.0, statistics.fmean(fixed)), step, length, _longest(loader) < length)


def _seconds(epoch: Epoch, after: Epoch | None, step: float) -> float | None:
    """How long a whole epoch took; None of one that goes on. Where nobody asked for a batch behind
    the last one, what is done with that one is not in it. One that was left early ends where the
    next begins."""
    if epoch.end is None:
        return None if after is None else after.start - epoch.start
    return epoch.end - epoch.start + (step if epoch.tail is None else 0.0)


def _of_turn(loader: LoaderRecord, length: int, turn: tuple[int, int, float]) -> EpochModel | None:
    """The model of a turn; None of one that holds more or less than whole epochs."""
    first, steps, seconds = turn
    begun = sum(first < start <= first + steps for start in _starts(loader))
    step = _steady_step(loader, first, first + steps)
    if step is None or begun * _longest(loader) != steps:
        return None
    boundary = max(0.0, (seconds - steps * step) / begun)
    return EpochModel(boundary, step, length, _longest(loader) < length)


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
        end = min(last, start + epoch.batches, len(loader.entered)) - 1
        if end > begin:
            seconds += loader.entered[end] - loader.entered[begin]
            count += end - begin
    return seconds / count if count else None
