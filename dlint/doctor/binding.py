"""What binds a training loop, in one sentence."""

from __future__ import annotations

from typing import NamedTuple

from dlint.doctor.ceiling import Ceiling
from dlint.doctor.fetching import COLLATING, READING, SENDING, Fetching
from dlint.doctor.operations import COMPUTE, COPIES, HOST, WAITING_FOR_DEVICE
from dlint.doctor.timeline import BETWEEN, FIRST, STARTING, TAIL, WAITING, TimeLine

_BINDS = 0.1
"""The share of its time that a loop waits for its workers from which on they are what binds it."""
_BUSY = 0.6
"""The share of its time that a worker has work from which on it is what is waited for."""
_WAITS, _COMPUTES = 0.35, 0.65
"""Shares of its time that a worker computes: below the first it waits, above the second it does
little else."""
_FULL_DEVICE = 0.85

_UNEVEN = 0.5
"""The share of the time of workers that the slowest tenth of their batches takes, from which on
these are what is waited for: batches are given in their order."""

WORKERS, LOADING, HANDING, UNEVEN = "workers", "loading", "handing over", "slow batches"
KINDS = (
    *(WORKERS, LOADING, HANDING, UNEVEN, STARTING, COPIES, COMPUTE, HOST),
    *(WAITING_FOR_DEVICE, BETWEEN),
)


class Bound(NamedTuple):
    """What binds a loop."""

    kind: str
    """One of KINDS."""
    stage: str | None
    """Where workers bind, the stage that takes longest in them."""
    sentence: str


class Seen(NamedTuple):
    """What an answer rests on."""

    line: TimeLine
    ceiling: Ceiling
    fetching: Fetching | None
    cpus: float
    ranks: int = 1

    @property
    def workers(self) -> str:
        """Those of each rank, in words; rates and what would feed a loop are of one."""
        count = 0 if self.fetching is None else self.fetching.workers // self.ranks
        of_each = " of each rank" if self.ranks > 1 else ""
        return f"{count} worker{'s' * (count != 1)}{of_each}"


def bound(seen: Seen) -> Bound:
    """The answer: what binds, with figures, and how many workers would feed the loop."""
    kind = _kind(seen)
    stage = None
    if kind in (WORKERS, LOADING) and seen.fetching is not None:
        stage = seen.fetching.busiest
    return Bound(kind, stage, f"bound by {_told(kind, stage, seen)}")


def _kind(seen: Seen) -> str:
    shares, fetching = seen.line.shares, seen.fetching
    has_workers = fetching is not None and bool(fetching.workers)
    if (seen.line.device or 0.0) >= _FULL_DEVICE:
        return COMPUTE
    starting = shares[STARTING] + shares[FIRST] + shares[TAIL]
    waiting = shares[WAITING]
    if not has_workers:
        starting, waiting = 0.0, starting + waiting
    won = seen.ceiling.gain >= 1 + _BINDS
    if fetching is not None and has_workers and won and waiting >= max(_BINDS, starting):
        works = fetching.busy * (1 - fetching.delayed) * fetching.workers * fetching.slow
        if fetching.slow >= _UNEVEN and works >= waiting / 2:
            return UNEVEN
        if fetching.busy >= _BUSY:
            return WORKERS
    parts = {
        **{name: shares[name] for name in (HOST, COPIES, COMPUTE, WAITING_FOR_DEVICE, BETWEEN)},
        STARTING: starting,
        HANDING if has_workers else LOADING: waiting,
    }
    return max(parts, key=parts.__getitem__)


def _told(kind: str, stage: str | None, seen: Seen) -> str:
    line, most = seen.line, f"loading faster brings at most {seen.ceiling.gain:.2f}x"
    if kind in (WORKERS, LOADING, HANDING):
        return _of_loading(kind, stage, seen)
    if kind == UNEVEN and seen.fetching is not None:
        return _of_slow_batches(seen.fetching, seen)
    if kind == STARTING:
        return _of_starting(seen)
    if kind == BETWEEN:
        return f"what lies between epochs: {line.shares[BETWEEN]:.0%} of the time; {most}"
    words = {
        HOST: "host work in the loop",
        COPIES: "copies",
        COMPUTE: "compute",
        WAITING_FOR_DEVICE: "synchronisation",
    }[kind]
    if kind == COMPUTE and (line.device or 0.0) >= _FULL_DEVICE:
        return f"{words}: the device computes {line.device:.0%} of the time; {most}"
    share, whole = line.stages[kind].mean, line.step.mean or seen.ceiling.now
    return (
        f"{words}: {_seconds(share)} of a step of {_seconds(whole)}, "
        f"{line.shares[kind]:.0%} of the time; {most}"
    )


def _of_starting(seen: Seen) -> str:
    line = seen.line
    spent = line.edges[STARTING].mean + line.edges[FIRST].mean + line.edges[TAIL].mean
    share = sum(line.shares[name] for name in (STARTING, FIRST, TAIL))
    return (
        f"starting workers: {_seconds(spent)} of every epoch, {share:.0%} of the time; workers "
        f"that stay would bring at most {1 / max(0.01, 1 - share):.2f}x"
    )


def _of_slow_batches(found: Fetching, seen: Seen) -> str:
    return (
        f"a few slow batches: one in ten takes {found.slow:.0%} of the time of the workers, the "
        f"slowest {_seconds(found.slowest)} where the mean is {_seconds(found.batch)}, and "
        "batches are given in their order; a longer queue (`prefetch_factor`), samples of more "
        f"even cost, or `in_order=False`; loading faster brings at most {seen.ceiling.gain:.2f}x"
    )


def _of_loading(kind: str, stage: str | None, seen: Seen) -> str:
    found, free = seen.fetching, seen.ceiling.free_step
    if found is None:
        return f"loading: {seen.line.shares[WAITING]:.0%} of the time is waiting for data"
    gives, takes = found.samples / seen.ceiling.now, found.samples / max(1e-9, free)
    rates = f"{_rate(gives)} samples/s, the program takes {_rate(takes)}"
    if kind == HANDING:
        have, give = ("has", "gives") if seen.workers.startswith("1 ") else ("have", "give")
        return (
            f"handing batches over: {seen.workers} {have} work {found.busy:.0%} of the time and "
            f"{give} {rates}"
        )
    where = "in the workers" if kind == WORKERS else "in the program itself"
    who = f"{seen.workers} give{'s' * (seen.workers.startswith('1 '))}"
    if kind == LOADING:
        who = "without workers it gets"
    return f"{_stage(stage or READING, found)} {where}: {who} {rates}; {_feeds(found, seen)}"


def _feeds(found: Fetching, seen: Seen) -> str:
    """How many workers would feed the loop, and whether there are processors for them."""
    needed = found.needed(seen.ceiling.free_step)
    cores = seen.ranks * found.batch * found.processor / max(1e-9, seen.ceiling.free_step)
    if cores > seen.cpus:
        return (
            f"{needed} would feed it, but they would keep {cores:.1f} CPUs busy and there are "
            f"{seen.cpus:g}: cheaper samples, or a larger machine"
        )
    return f"{needed} would feed it"


def _stage(stage: str, found: Fetching) -> str:
    if stage == COLLATING:
        return "collating batches"
    if stage == SENDING:
        return "sending batches"
    if stage != READING:
        return f"`{stage}`"
    if found.computing <= _WAITS:
        return f"reading samples, {1 - found.computing:.0%} of it waiting,"
    return "reading and decoding samples" if found.computing >= _COMPUTES else "reading samples"


def _rate(number: float) -> str:
    return f"{number:.1f}" if number < 10 else f"{number:,.0f}"


def _seconds(number: float) -> str:
    return f"{number:.2f} s" if number >= 1 else f"{number * 1000:.3g} ms"
