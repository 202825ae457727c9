"""Which settings are worth a trial: those that promise most, of all that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.doctor.tuning.setting import PREFETCH, Facts, Predictor, Setting

_FACTORS = (PREFETCH, 4, 8)
_BRINGS = 0.02
"""The share by which more workers, or a longer queue, must make a loop faster to be worth it."""
_MOST_WORKERS = 64
_SHM = 0.8
"""Of the shared memory that is free, what batches may take."""


class Entry(NamedTuple):
    """A setting, and what it would come to."""

    setting: Setting
    seconds: float
    """A batch."""
    memory: int
    """Bytes of all processes."""
    why_not: str = ""
    """Why it is not tried."""


def entries(known: Predictor, memory_limit: int, most: int) -> tuple[list[Entry], list[Entry]]:
    """At most so many settings to try, those that promise most first; and those that would promise
    more than the present one, and are left out, with the reason."""
    found = [_entry(known, setting) for setting in dict.fromkeys(_settings(known))]
    now = known.seconds(known.present)
    better = sorted((e for e in found if _promises(known, e, now)), key=_order)
    judged = [entry._replace(why_not=_why_not(entry, known, memory_limit)) for entry in better]
    fitting = [entry for entry in judged if not entry.why_not]
    chosen = _chosen(fitting, most)
    return chosen, [entry for entry in judged if entry.why_not]


def promises_more(facts: Facts) -> bool:
    """Whether some setting that fits is foreseen to be faster than the present one."""
    found, _ = entries(Predictor(facts), facts.machine.memory_limit, 1)
    return bool(found)


def _entry(known: Predictor, setting: Setting) -> Entry:
    return Entry(setting, known.seconds(setting), known.memory(setting))


def _order(entry: Entry) -> tuple[float, int]:
    """What is faster first; what differs by less than a hundredth is equal, and fewer workers, then
    a shorter queue, come first."""
    return round(entry.seconds, 9), entry.setting.queue


def _promises(known: Predictor, entry: Entry, now: float) -> bool:
    """Whether it may bring something: what fewer threads do to workers that have to share their
    processors cannot be foreseen, so these alone are tried where the loop waits."""
    fewer = known.present._replace(worker_threads=entry.setting.worker_threads)
    unforeseen = entry.setting == fewer != known.present
    waits = known.facts.ceiling.gain > 1 + _BRINGS
    return _brings(now, entry.seconds) or (unforeseen and waits)


def _brings(before: float, after: float) -> bool:
    return after < before * (1 - _BRINGS)


def _settings(known: Predictor) -> Iterator[Setting]:
    """Everything that is thought of. None of it changes which samples are read."""
    present, facts = known.present, known.facts
    pin = present.pin_memory or (facts.on_gpu and facts.loader.pinned is False)
    method = _method(known)
    for count in _counts(known):
        for factor in dict.fromkeys((present.prefetch_factor or PREFETCH, *_FACTORS)):
            yield Setting(count, factor, True, pin, method, _threads(known, count))
    if present.num_workers:
        yield Setting(0, pin_memory=pin)
        fewer = present._replace(worker_threads=_threads(known, present.num_workers))
        yield fewer
        yield fewer._replace(persistent_workers=True, pin_memory=pin, start_method=method)
    if pin != present.pin_memory:
        yield present._replace(pin_memory=pin)


def _method(known: Predictor) -> str | None:
    """Another way to start workers, where they are made anew in a way that takes long, though
    nothing forbids to fork them."""
    slow = known.facts.loader.start_method in ("spawn", "forkserver")
    return "fork" if slow and known.facts.may_fork and known.present.num_workers else None


def _threads(known: Predictor, workers: int) -> int | None:
    """How many threads libraries should have in each worker, where theirs are more than there are
    processors for; torch computes with one anyway."""
    machine = known.facts.machine
    return (
        1
        if machine.ranks * workers * (machine.opencv or 1)
        > max(machine.cpus, machine.ranks * workers)
        else None
    )


def _counts(known: Predictor) -> list[int]:
    """Numbers of workers of each rank, powers of two and those around the present one, up to twice
    as many as feed the loop, or as there are processors for."""
    computing, present = known.facts.fetching.computing, known.present.num_workers
    most = float(_MOST_WORKERS)
    if computing > 0:
        most = min(most, max(1, present, 2 * known.processors / computing))
    wanted = {*(2**n for n in range(7)), *range(1, 9), present, present + 1, 2 * present}
    found: list[int] = []
    for count in sorted(count for count in wanted if 0 < count <= most):
        found.append(count)
        if _feeds(known, count):
            most = min(most, 2 * count)
        if count >= most:
            break
    return found


def _feeds(known: Predictor, count: int) -> bool:
    """Whether so many workers keep a loop busy, with as long a queue as may be."""
    return not _brings(known.step(Setting(count, _FACTORS[-1])), known.facts.ceiling.free_step)


def _why_not(entry: Entry, known: Predictor, memory_limit: int) -> str:
    machine, size = known.facts.machine, known.facts.fetching.size
    if entry.memory > memory_limit:
        return (
            f"all processes would take {entry.memory / 2**20:.0f} of {memory_limit / 2**20:.0f} MiB"
        )
    waiting = machine.ranks * entry.setting.queue * size
    if machine.shm_free is not None and waiting > _SHM * (machine.shm_free + machine.shm_needed):
        return f"{waiting / 2**20:.0f} MiB of batches would wait in /dev/shm"
    return ""


def _chosen(found: Sequence[Entry], most: int) -> list[Entry]:
    """The best; then fewer and more workers than it has, since a prediction may be off, each with
    the shortest queue that is as good."""
    best_of = _frugal(found)
    if not best_of:
        return []
    ranked = sorted(best_of, key=_order)
    best = _cheapest(ranked)
    near = sorted(best_of, key=lambda e: _distance(e, best))
    return near[:most]


def _frugal(found: Sequence[Entry]) -> list[Entry]:
    """For each number of workers, the shortest queue beside which none brings more."""
    by_count: dict[int, list[Entry]] = {}
    for entry in found:
        by_count.setdefault(entry.setting.num_workers, []).append(entry)
    return [_cheapest(sorted(group, key=_order)) for group in by_count.values()]


def _cheapest(ranked: Sequence[Entry]) -> Entry:
    """Of all that are as good as the first, the one with the fewest workers and shortest queue."""
    first = ranked[0]
    equal = [entry for entry in ranked if not _brings(entry.seconds, first.seconds)]
    return min(equal, key=lambda e: (e.setting.num_workers, e.setting.queue))


def _distance(entry: Entry, best: Entry) -> tuple[float, float]:
    """How far its number of workers lies from that of the best, in doublings, and its promise."""
    one, two = entry.setting.num_workers, best.setting.num_workers
    ratio = max(one, two) / max(1, min(one, two))
    return (round(ratio, 1), entry.seconds)
