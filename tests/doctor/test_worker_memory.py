"""What workers take of the memory, and how they grow; of runs that never were."""

from __future__ import annotations

import pytest

from dlint.doctor.report import words
from dlint.doctor.report.json import data
from dlint.doctor.worker_memory import WorkerMemory, grown_of, worker_memory
from dlint.verify.run.memory import Memory, Size
from tests.doctor import made

MIB = 2**20
STARTED = 1.0
"""Seconds from the start of the run to where its times count from."""


def seen(*sizes: tuple[float, float], pid: int = 11) -> WorkerMemory:
    """What is said of a worker that was seen at some moments, with so many MiB; a third of it is
    shared with others."""
    memory = Memory()
    memory.sizes[pid] = [Size(t, round(2 * MIB * x / 3), round(MIB * x)) for t, x in sizes]
    run = made.run(memory=memory)
    return worker_memory(run, run.records)


def epoch(number: int, share: float = 0.5) -> float:
    """A moment in one of the epochs, in seconds since the start of the run."""
    epochs = made.times().epochs
    start = epochs[number].start
    end = epochs[number + 1].start if number + 1 < len(epochs) else start + 1
    return STARTED + start + share * (end - start)


def test_of_nothing_nothing_is_said() -> None:
    assert worker_memory(made.run(), made.run().records) == WorkerMemory()
    assert seen((2.0, 30), pid=99) == WorkerMemory(), "a process that is no worker"


def test_a_worker_that_was_seen_too_seldom_has_a_size_and_no_growth() -> None:
    found = seen((2.0, 6), (2.3, 120), (2.6, 319), (2.9, 508))
    assert found.proportional == 508 * MIB
    assert found.private == round(2 * 508 * MIB / 3)
    assert found.growth is None
    assert found.growth_epoch is None


def test_growth_is_told_by_epoch_from_the_second_on() -> None:
    """Each epoch takes 10 MiB more; the first, in which the worker is made, does not count."""
    sizes = [(epoch(n, share), 100 + 10 * n) for n in range(5) for share in (0.2, 0.5, 0.8)]
    found = seen((epoch(0), 5), *sizes)
    assert (found.growth, found.growth_epoch) == (30 * MIB, 10 * MIB)


def test_workers_that_are_made_anew_grow_from_one_to_the_next() -> None:
    memory = Memory()
    for n, pid in enumerate((11, 12, 13, 14, 15)):
        size = (40 + 20 * n) * MIB
        memory.sizes[pid] = [Size(epoch(n, s), size, size) for s in (0.3, 0.6, 0.9)]
    loader = made.loader(made.times(), worker_pids=(11, 12, 13, 14, 15))
    run = made.run(made.record(loaders=(loader,)), memory=memory)
    found = worker_memory(run, run.records)
    assert (found.proportional, found.growth, found.growth_epoch) == (120 * MIB, 60 * MIB, 20 * MIB)


def test_while_batches_are_replayed_workers_rest() -> None:
    times = made.times()
    spans = {**made.examined(times).phases, "settle": made.span(times, (65, 70))}
    memory = Memory()
    sizes = [(epoch(n, share), 100 + 10 * n) for n in range(5) for share in (0.2, 0.5, 0.8)]
    memory.sizes[11] = [Size(t, x * MIB, x * MIB) for t, x in sizes]
    run = made.run(made.record(times, doctor=made.examined(times, phases=spans)), memory=memory)
    found = worker_memory(run, run.records)
    assert found.growth_epoch is None, "two epochs are left, of which the first does not count"


@pytest.mark.parametrize(
    ("sizes", "by"),
    [([100] * 12, 0), ([9, 9, 9, 9, 50, 50, 50, 50, 90, 90, 90, 90], 40), ([1, 90], None)],
)
def test_within_an_epoch_growth_leaves_the_start_out(sizes: list[int], by: int | None) -> None:
    assert grown_of(sizes) == by


def test_what_is_not_known_is_left_out() -> None:
    found = made.diagnosed()
    assert found.machine is not None
    assert found.machine.worker_memory is None
    told = words.machine(data(found))
    assert told is not None
    assert "largest worker" not in told
    found.machine = found.machine._replace(worker_memory=30 * MIB, worker_pss=50 * MIB)
    told = words.machine(data(found)) or ""
    assert "the largest worker 50.0 MiB (PSS, 30.0 MiB of it its own);" in told
    found.machine = found.machine._replace(growth=9 * MIB, growth_epoch=3 * MIB)
    told = words.machine(data(found)) or ""
    assert "of it its own), grew by 9.0 MiB (3.0 MiB an epoch);" in told
