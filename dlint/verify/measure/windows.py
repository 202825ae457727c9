"""Which part of a run is measured, and how many runs fit into the budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dlint.verify.errors import UnmeasurableError
from dlint.verify.measure.interleaved import SLICES, slices
from dlint.verify.measure.record import Epoch, LoaderRecord, Record, Window
from dlint.verify.run.runner import Run, RunConfig

_FEWEST_STEPS = 8
_LEAST_WARMUP = 10
_LONGEST_WINDOW = 10.0
_SHORTEST_WINDOW = 1.0
_SHORTEST_SHARED = 1.5
"""Of one side, where both live at once: it is cut into turns."""
_LONGEST_SETTLING = 0.3
_START_OF_TWO = 1.5
_LEAVING = 0.5
_EPOCHS = 5
_BOUNDARIES = 3
"""Epochs whose beginnings and ends are looked at, behind a first one."""
_BLOCKS = 8
"""Parts of the window of one run."""
_FEWEST_TURNS = 4
_TURN_SECONDS = 3.0
"""Turns that take longer are fewer: those of whole epochs, and those behind a long queue."""
_QUEUES = 8
"""A window holds at least this many queues: what was fetched before it began counts little."""


class Pace(NamedTuple):
    """How fast the program goes, as far as a run of looking tells."""

    startup: float
    """Seconds before the first batch."""
    step: float
    batches: int | None
    """How many it takes in all; None when the run was stopped before its end."""


def pace(run: Run, startup: float) -> Pace:
    """The pace of a run, beside what is known of the start. Raises UnmeasurableError when it took
    too few batches."""
    record, loader = run.record, run.training
    if record is None or loader is None or len(loader.entered) < 3:
        count = 0 if loader is None else loader.batches
        raise UnmeasurableError(f"the script took only {count} batches from its loader")
    later = loader.entered[len(loader.entered) // 4 :]
    hashing = record.hashing_seconds / max(1, loader.batches)
    step = max(1e-5, (later[-1] - later[0]) / max(1, len(later) - 1) - hashing)
    return Pace(startup, step, loader.batches if record.why == "exit" else None)


class Asked(NamedTuple):
    """What the user sets of the window; None leaves it to dlint."""

    warmup: int | None = None
    steps: int | None = None


def timed(
    known: Pace,
    loaders: Iterable[LoaderRecord],
    asked: Asked,
    seconds: float,
    queues: int = _QUEUES,
) -> RunConfig:
    """The window that all variants share: the largest queue among them decides its bounds, and it
    holds at least some queues of that length."""
    loaders = list(loaders)
    queue, period = _longest(loaders), _period(loaders)
    warmup = max(_LEAST_WARMUP, 2 * queue + 5)
    steps = max(queues * queue, math.ceil(seconds / known.step), 2 * _FEWEST_STEPS)
    if known.batches is not None:
        warmup = min(warmup, known.batches // 3)
        steps = min(steps, known.batches - warmup - 2)
    warmup = warmup if asked.warmup is None else asked.warmup
    steps = steps // period * period or steps
    steps = steps if asked.steps is None else asked.steps
    if steps < _FEWEST_STEPS and asked.steps is None:
        raise UnmeasurableError(
            f"the script takes {known.batches} batches, too few for a warm-up and a window"
        )
    return RunConfig(warmup=warmup, steps=steps, limit=60 + 10 * (warmup + steps) * known.step)


def window_seconds(
    known: Pace, pairs: int, budget: float, warmup: int = 20, couples: int = 0
) -> float:
    """How long a window may be so that this many pairs fit into some seconds. It need not be longer
    than the start before it: more starts say more than longer windows do. `couples` that live at
    once share that; none if runs follow each other."""
    at_once = couples > 0
    startup = _start(known, couples) / couples / 2 if at_once else known.startup
    rest = budget / (2 * pairs) - startup - warmup * known.step
    shortest = _SHORTEST_SHARED if at_once else _SHORTEST_WINDOW
    longest = min(_LONGEST_WINDOW, max(2 * shortest, startup))
    return min(longest, max(shortest, rest))


def of_epochs(known: Pace, loaders: Iterable[LoaderRecord], seconds: float) -> RunConfig | None:
    """Runs of several epochs, cut short where they would take more than some seconds together;
    None where the length of an epoch is not known."""
    loaders = list(loaders)
    length = _shortest(loaders)
    if length is None:
        return None
    return _epochs(known, length, _enough(known, loaders, seconds, _EPOCHS), _EPOCHS)


def epoch_turns(known: Pace, loaders: Iterable[LoaderRecord], seconds: float) -> RunConfig | None:
    """Turns that hold whole epochs, wherever they begin in one; see `turns`."""
    loaders = list(loaders)
    length = _shortest(loaders)
    if length is None:
        return None
    enough = _enough(known, loaders, seconds, SLICES)
    setting, each = _epochs(known, length, enough, SLICES), min(enough, length)
    return _in_turns(setting, math.ceil(enough / each) * each, known, loaders)


def whole_epochs(
    known: Pace, loaders: Iterable[LoaderRecord], seconds: float
) -> tuple[RunConfig, RunConfig] | None:
    """A run and turns of whole epochs of real length; None where that would take longer than some
    seconds of each side, or it is not known how long they take."""
    loaders = list(loaders)
    length, epoch = epoch_length(loaders), _epoch_seconds(loaders)
    if length is None or epoch is None or epoch * (_FEWEST_TURNS + 1) > seconds:
        return None
    count = math.ceil(min(seconds, _LONGEST_WINDOW) / _FEWEST_TURNS / epoch / 2)
    held = math.ceil(max(count, (2 * _longest(loaders) + 1) / length))
    turns = _FEWEST_TURNS if epoch * held > _TURN_SECONDS / 2 else SLICES
    limit = 120 + 20 * turns * held * epoch
    runs = RunConfig(0, (turns * count + 2) * length, by_epoch=True, limit=limit)
    if known.batches is not None and known.batches < runs.steps:
        return None
    return runs, _in_turns(runs, held * length, known, loaders)._replace(turns=turns)


def of_boundaries(known: Pace, loaders: Iterable[LoaderRecord]) -> RunConfig | None:
    """A run of a few epochs, cut short where they are long, that shows what comes between them;
    None where their length is not known, or the script ends before there are some."""
    loaders = list(loaders)
    length = epoch_length(loaders)
    if length is None or known.batches is not None:
        return None
    enough = max(2 * _longest(loaders) + 10, 12)
    return _epochs(known, length, enough, _BOUNDARIES + 1)


def in_one_turn(setting: RunConfig) -> RunConfig:
    """The same run as one turn of a program that takes turns: it is waited for before its first
    batch only."""
    return setting._replace(skip=0, settle=0.0, turns=1)


def epoch_length(loaders: Sequence[LoaderRecord]) -> int | None:
    """Batches of an epoch, where all variants have as many; None else, or where it is not known."""
    lengths = {loader.epoch_length for loader in loaders}
    return lengths.pop() if len(lengths) == 1 else None


def _epoch_seconds(loaders: Sequence[LoaderRecord]) -> float | None:
    """How long the longest epoch took, to the beginning of the next one; None where none came to
    that."""
    found = [
        later.start - epoch.start
        for loader in loaders
        for number, (epoch, later) in enumerate(pairwise(loader.epochs))
        if number in loader.passes
    ]
    return max(found, default=0.0) or None


def jitter(known: Pace, setting: RunConfig, turns: RunConfig | None) -> int:
    """By how many steps windows may begin later: up to a turn and what is skipped before, as far as
    the script has batches for that."""
    if setting.by_epoch:
        return 0
    most = setting.steps if turns is None else 2 * (turns.steps + turns.skip)
    if known.batches is None:
        return most
    used = setting if turns is None else turns
    count = used.steps if turns is None else turns.turns * (turns.skip + turns.steps)
    return max(0, min(most, known.batches - used.warmup - count - 2))


def _epochs(known: Pace, length: int, enough: int, count: int) -> RunConfig:
    """So many epochs, cut short where a part of them is enough."""
    steps = count * min(enough, length)
    limit = 120 + 20 * steps * known.step
    cap = enough if enough < length else None
    return RunConfig(0, steps, epoch_cap=cap, by_epoch=True, limit=limit)


def _enough(known: Pace, loaders: Sequence[LoaderRecord], seconds: float, count: int) -> int:
    """Steps of which one part of a window should consist."""
    return max(2 * _longest(loaders) + 10, 12, math.ceil(seconds / count / known.step))


def _longest(loaders: Sequence[LoaderRecord]) -> int:
    """The longest queue."""
    return max((loader.queue for loader in loaders), default=0)


def _period(loaders: Sequence[LoaderRecord]) -> int:
    """Steps after which each worker of every variant had its turn."""
    return math.lcm(*(max(1, loader.workers) for loader in loaders))


def _shortest(loaders: Sequence[LoaderRecord]) -> int | None:
    """The fewest batches of an epoch; None where that is not known of one."""
    lengths = [loader.epoch_length for loader in loaders]
    return None if None in lengths else min((n for n in lengths if n is not None), default=None)


def suffice(known: Pace, turns: RunConfig) -> bool:
    """Whether the script has batches enough for all turns."""
    needed = turns.warmup + turns.turns * (turns.skip + turns.steps)
    return known.batches is None or known.batches > needed


def seconds_apart(known: Pace, setting: RunConfig) -> float:
    """How long a pair takes whose runs follow each other, roughly."""
    return 2 * (known.startup + (setting.warmup + setting.steps) * known.step + _LEAVING)


def seconds_at_once(known: Pace, turns: RunConfig, couples: int = 1) -> float:
    """How long a restart of two takes that live at once, roughly; of several that start together,
    one of them."""
    turn = (turns.skip + turns.steps) * known.step + turns.settle
    return _start(known, couples) / couples + 2 * turns.turns * turn + _LEAVING


def _start(known: Pace, couples: int) -> float:
    """Seconds until all sides of some couples that start at once have begun."""
    return known.startup * math.pow(_START_OF_TWO, math.log2(2 * couples))


def step_times(run: Run) -> list[float]:
    """Seconds of each step of a run's window; of the rank that waits most."""
    record = _waiting_record(run)
    loader = None if record is None else record.training
    if record is None or record.window is None or loader is None:
        return []
    spans = _spans(record.window)
    moments = [loader.entered[first:last] for first, last in spans]
    return [round(b - a, 6) for entered in moments for a, b in pairwise(entered)]


def block_seconds(run: Run) -> list[float]:
    """Seconds a step of each turn, or of each part of the window of a run."""
    record, loader, pace_of_run = run.record, run.training, run.step_seconds
    if record is None or record.window is None or loader is None or not pace_of_run:
        return []
    if record.window.slices:
        return slices(run)
    first, each = record.window.first_step, record.window.steps // _BLOCKS
    moments = loader.entered[first : first + each * _BLOCKS + 1 : each] if each else ()
    blocks = [(later - earlier) / each for earlier, later in pairwise(moments)]
    if len(blocks) < _BLOCKS or min(blocks) <= 0:
        return [pace_of_run]
    # What the device had left to do is known at the edges of the window only.
    factor = pace_of_run / (sum(blocks) / _BLOCKS)
    return [block * factor for block in blocks]


def noise(run: Run) -> float:
    """How far ratios of such windows may scatter, as a share, by the parts of one; 0.0 where it has
    too few."""
    blocks = block_seconds(run)
    if len(blocks) < _BLOCKS:
        return 0.0
    mean = sum(blocks) / len(blocks)
    square = sum((block / mean - 1) ** 2 for block in blocks) / (len(blocks) - 1)
    return math.sqrt(2 * square / len(blocks))


def waits(run: Run) -> list[float]:
    """Seconds that the program waited for each batch of a run's window, and for its workers to
    start before the first one of an epoch; of the rank that waits most. Empty where another thread
    reads the loader, for then it is not the program that waits."""
    record = _waiting_record(run)
    loader = None if record is None else record.training
    if record is None or record.window is None or loader is None or loader.background:
        return []
    found: list[float] = []
    for first, last in _spans(record.window):
        rows = zip(loader.entered[first : last - 1], loader.given[first : last - 1], strict=False)
        found += [round(given - entered, 6) for entered, given in rows]
        found += [s for s in _starts_of_workers(loader, (first, last)) if s > 0]
    return found


def _waiting_record(run: Run) -> Record | None:
    """The record of the rank that waits most for data: ranks go in step, so that all are as fast
    as that one, and their paces tell nothing."""
    shares = wait_shares(run)
    if not shares:
        return run.record
    rank = max(shares, key=shares.__getitem__)
    return next(r for r in run.records if r.rank == rank and r.window is not None)


def wait_shares(run: Run) -> dict[int, float]:
    """By rank, the share of its window that it waits for data: in `next()`, and where an epoch
    begins, in `iter()`, in which workers start. Another thread's reading is nobody's waiting."""
    found = {}
    for record in run.records:
        loader, window = record.training, record.window
        if loader is None or window is None or loader.background or window.seconds <= 0:
            continue
        waited = 0.0
        for first, last in _spans(window):
            entered, given = loader.entered[first:last], loader.given[first : last - 1]
            waited += sum(b - a for a, b in zip(entered, given, strict=False))
            waited += sum(_starts_of_workers(loader, (first, last)))
        # What dlint looks at between steps is nobody's time.
        own = max(waited, window.seconds - record.hashing_seconds)
        found[record.rank] = min(1.0, waited / own)
    return found


def _starts_of_workers(loader: LoaderRecord, span: tuple[int, int]) -> list[float]:
    """Seconds in `iter()` of each epoch that begins between these batches."""
    entered = loader.entered[span[0] : span[1]]
    return [_iter_seconds(epoch, entered) for epoch in loader.epochs]


def _iter_seconds(epoch: Epoch, entered: Sequence[float]) -> float:
    """Seconds in which an iterator was made, where that lies between two of these moments."""
    if epoch.ready is None or not entered or not entered[0] <= epoch.start <= entered[-1]:
        return 0.0
    return epoch.ready - epoch.start


def _spans(window: Window) -> list[tuple[int, int]]:
    """The batches that are measured, from the first to behind the end of the last step."""
    if window.slices:
        return [(first, first + steps) for first, steps, _ in window.slices]
    return [(window.first_step, window.first_step + window.steps + 1)]


def turns(setting: RunConfig, known: Pace, loaders: Iterable[LoaderRecord]) -> RunConfig:
    """The window cut into turns: what the queue holds when a turn begins is skipped, and the other
    side's workers are given the time to fill theirs before."""
    loaders = list(loaders)
    period = _period(loaders)
    steps = max(math.ceil(setting.steps / SLICES), 2 * _longest(loaders), _FEWEST_STEPS)
    found = _in_turns(setting, math.ceil(steps / period) * period, known, loaders)
    is_long = (found.skip + found.steps) * known.step > _TURN_SECONDS
    return found._replace(turns=_FEWEST_TURNS) if is_long else found


def _in_turns(
    setting: RunConfig, steps: int, known: Pace, loaders: Sequence[LoaderRecord]
) -> RunConfig:
    queue = _longest(loaders)
    settle = min(_LONGEST_SETTLING, queue * known.step)
    return setting._replace(steps=steps, skip=2 * queue + 2, settle=settle)
