"""Every figure, of a run all of whose times are known."""

from __future__ import annotations

import pytest

from dlint.doctor.binding import COMPUTE, COPIES, HOST, WAITING_FOR_DEVICE, Seen, bound
from dlint.doctor.cautions import cautions
from dlint.doctor.handing import handing
from dlint.doctor.operations import Work, work
from dlint.doctor.report import words
from dlint.doctor.report.json import data
from dlint.doctor.spread import Spread, spread, widest
from dlint.doctor.timeline import BETWEEN, FIRST, STARTING, TAIL, WAITING, slowest, time_lines
from dlint.verify.measure.examined import Profile
from tests.doctor import made
from tests.doctor.made import BATCH, FREE, WAIT, WORK, diagnosed


def test_percentiles_are_told_of_enough_values() -> None:
    assert spread([]) == Spread(0.0, None, None, None)
    assert spread([2.0, 1.0, 3.0]) == Spread(2.0, 2.0, None, None)
    assert spread(range(1, 21))[2:] == (20, None)
    assert spread(range(1, 201))[1:] == (101, 191, 199)


def test_of_several_ranks_the_largest_of_each() -> None:
    found = widest([Spread(1.0, 3.0, None, None), Spread(2.0, 1.0, 5.0, None)])
    assert found == Spread(2.0, 3.0, 5.0, None)


def test_the_stages_of_a_step() -> None:
    line = diagnosed().line
    assert line is not None
    means = {name: found.mean for name, found in line.stages.items()}
    assert means == pytest.approx(
        {
            WAITING: WAIT,
            COMPUTE: WORK / 2,
            COPIES: WORK / 4,
            WAITING_FOR_DEVICE: WORK / 8,
            HOST: WORK / 8,
        },
        abs=1e-6,
    )
    assert line.step.mean == pytest.approx(WAIT + WORK)
    assert line.profiled == 19  # the last step of an epoch is followed by no further one
    assert line.device is None


def test_what_lies_between_the_steps_of_epochs() -> None:
    line = diagnosed().line
    assert line is not None
    assert line.epochs == 2
    found = {name: edge.mean for name, edge in line.edges.items()}
    expected = {STARTING: made.START, FIRST: made.FIRST, TAIL: made.TAIL, BETWEEN: made.PAUSE}
    assert found == pytest.approx(expected)


def test_shares_are_of_all_the_time_of_the_window() -> None:
    line = diagnosed().line
    assert line is not None
    assert sum(line.shares.values()) == pytest.approx(1)
    first, last = made.WINDOW
    found = made.times()
    seconds = found.entered[last] - found.entered[first]
    assert line.seconds == pytest.approx(seconds)
    waits = [n for n in range(first, last) if n % made.LENGTH]
    assert line.shares[WAITING] == pytest.approx(WAIT * len(waits) / seconds)
    assert line.shares[STARTING] == pytest.approx(2 * made.START / seconds)
    assert line.shares[BETWEEN] == pytest.approx(2 * made.PAUSE / seconds)
    works = sum(line.shares[name] for name in (HOST, COPIES, COMPUTE, WAITING_FOR_DEVICE))
    assert works == pytest.approx(WORK * (last - first) / seconds)


def test_the_ceiling_is_what_replayed_batches_take() -> None:
    found = diagnosed()
    assert found.ceiling is not None
    assert found.line is not None
    assert found.ceiling.free_step == pytest.approx(FREE)
    assert found.ceiling.replayed == 39
    between = found.line.shares[BETWEEN] * found.ceiling.now
    assert found.ceiling.free == pytest.approx(FREE + between)
    assert found.ceiling.gain == pytest.approx(found.ceiling.now / found.ceiling.free)


def test_what_copies_take_is_told_beside_the_ceiling() -> None:
    """A quarter of the work on a batch is copies; the replay has them, too."""
    found = diagnosed().ceiling
    assert found is not None
    assert found.copies == pytest.approx(FREE / 4)
    assert found.free_of_copies == pytest.approx(found.free - FREE / 4)
    assert found.gain_with_copies == pytest.approx(found.now / found.free_of_copies)
    assert found.gain_with_copies > found.gain
    assert "x by loading and copies, which are 3.75 ms of that" in (
        words.ceiling(data(diagnosed())) or ""
    )
    without = diagnosed()
    assert without.ceiling is not None
    without.ceiling = without.ceiling._replace(copies=0.0)
    assert without.ceiling.gain_with_copies == without.ceiling.gain
    assert "copies" not in (words.ceiling(data(without)) or "")


@pytest.mark.parametrize(
    ("workers", "ready", "busy", "expected"),
    [(2, 1, 1.0, WAIT), (2, 0, 0.1, WAIT), (2, 0, 1.0, 0.0), (0, 1, 0.1, 0.0)],
)
def test_what_handing_over_takes(workers: int, ready: int, busy: float, expected: float) -> None:
    """The usual wait for batches that are ready, or of workers that have nothing to do."""
    times = made.times()
    parts = made.examined(times, depths=(ready,) * 150)
    record = made.record(times, doctor=parts)
    loader = made.loader(times, num_workers=workers)
    found = diagnosed(made.run(record)).fetching
    assert found is not None
    assert handing(loader, record, found._replace(busy=busy)) == pytest.approx(expected)


def test_without_a_replay_it_is_a_step_without_its_wait() -> None:
    times = made.times()
    parts = made.examined(times, replayed=0)
    found = diagnosed(made.run(made.record(times, doctor=parts)))
    assert found.ceiling is not None
    assert found.ceiling.replayed == 0
    assert found.ceiling.free_step == pytest.approx(WORK)


def test_what_restores_batches_is_none_of_the_program_on_a_device() -> None:
    times = made.times()
    spans = {**made.examined(times).phases, "replay": made.span(times, made.REPLAYED, 0.19)}
    rows = tuple((0, 5, given, WORK / 2, 1) for given in times.given[75:95])
    profile = Profile(names=("kernel",), rows=rows)
    parts = made.examined(times, phases=spans, profile=profile)
    found = diagnosed(made.run(made.record(times, doctor=parts, cuda_used=True)))
    assert found.ceiling is not None
    assert found.ceiling.free_step == pytest.approx(FREE - 0.19 / 39)


def test_the_stages_of_a_batch_in_the_workers() -> None:
    found = diagnosed().fetching
    assert found is not None
    assert found.batch == pytest.approx(BATCH)
    assert found.stages == pytest.approx(
        {
            "reading": BATCH - made.COLLATING - made.RESIZE,
            "Resize": made.RESIZE,
            "collating": made.COLLATING,
            "sending": made.SENDING,
        },
        rel=0.01,
    )
    assert (found.samples, found.size, found.workers) == (8, 4096, 2)
    assert found.processor == pytest.approx(made.PROCESSOR / BATCH)
    assert found.delayed == pytest.approx(made.DELAYED / BATCH)
    assert (found.read, found.stored) == (pytest.approx(1000), pytest.approx(100))
    assert found.busy == pytest.approx(1, abs=0.05)


def test_a_wait_for_a_processor_that_is_longer_than_the_batch_leaves_nothing() -> None:
    """Both are counted by clocks of their own."""
    rows = tuple(
        row._replace(delayed=1.25 * (row.done - row.begun))
        for row in made.fetched(made.times()).rows
    )
    fetched = made.fetched(made.times(), rows=rows)
    found = diagnosed(made.run(workers=dict.fromkeys((11, 12), fetched))).fetching
    assert found is not None
    assert (found.slow, found.slowest, found.delayed) == (0.0, 0.0, 1.0)
    mixed = tuple(
        row if n % 20 else rows[n] for n, row in enumerate(made.fetched(made.times()).rows)
    )
    fetched = made.fetched(made.times(), rows=mixed)
    found = diagnosed(made.run(workers=dict.fromkeys((11, 12), fetched))).fetching
    assert found is not None
    assert 0 < found.slow < 0.2
    assert found.slowest == pytest.approx(BATCH - made.DELAYED)


@pytest.mark.parametrize(
    ("window", "steps", "expected"),
    [
        (0.016, 58, ()),
        (0.053, 58, ("a step worked 53 ms on its batch while data were loaded and 15 ms with",)),
        (0.006, 58, ("a step worked 6 ms on its batch while data were loaded and 15 ms with",)),
        (0.016, 8, ("all of this rests on 8 steps",)),
    ],
)
def test_what_makes_figures_uncertain_is_told(
    window: float, steps: int, expected: tuple[str, ...]
) -> None:
    times = made.times(work=window)
    found = diagnosed(made.run(made.record(times, doctor=made.examined(times))))
    assert found.line is not None
    told = list(cautions(found.line._replace(steps=steps), found.ceiling, 1))
    assert len(told) == len(expected)
    assert all(part in said for said, part in zip(told, expected, strict=True))
    assert list(found.cautions) == list(cautions(found.line, found.ceiling, 1))
    assert not list(cautions(found.line._replace(device=0.5), found.ceiling, 1))
    assert not list(cautions(found.line, found.ceiling, 2)), "ranks wait for each other"
    assert not list(cautions(found.line, None, 1))


@pytest.mark.parametrize(("step", "count"), [(0.08, 1), (0.04, 2), (0.0395, 2), (0.015, 6)])
def test_workers_that_would_feed_a_loop(step: float, count: int) -> None:
    found = diagnosed().fetching
    assert found is not None
    assert found.needed(step) == count


def test_the_queue_in_the_window() -> None:
    found = diagnosed().queue
    assert found is not None
    assert found.most == 4
    assert found.depths[:4] == (0, 1, 2, 0)
    assert found.empty == pytest.approx(1 / 3, abs=0.02)


def test_the_answer_has_all_of_it() -> None:
    found = diagnosed()
    assert found.bound is not None
    assert found.ceiling is not None
    given = 8 / found.ceiling.now
    assert found.bound.sentence == (
        f"bound by reading samples, 65% of it waiting, in the workers: 2 workers give "
        f"{given:.0f} samples/s, the program takes {8 / FREE:.0f}; 6 would feed it"
    )


def test_on_ranks_rates_and_workers_are_those_of_each() -> None:
    found = diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    assert found.fetching is not None
    for workers, said in ((4, "2 workers of each rank give "), (2, "1 worker of each rank gives ")):
        fetching = found.fetching._replace(workers=workers)
        told = bound(Seen(found.line, found.ceiling, fetching, cpus=64, ranks=2)).sentence
        assert said in told
        assert told.endswith("6 would feed it")


def test_workers_are_not_asked_of_processors_that_are_not_there() -> None:
    found = diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    seen = Seen(found.line, found.ceiling, found.fetching, cpus=1)
    told = "6 would feed it, but they would keep 1.3 CPUs busy and there are 1"
    assert told in bound(seen).sentence


def test_a_full_device_is_what_binds() -> None:
    found = diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    seen = Seen(found.line._replace(device=0.93), found.ceiling, found.fetching, cpus=8)
    assert bound(seen).kind == COMPUTE
    assert "the device computes 93% of the time" in bound(seen).sentence


def test_idle_workers_bind_nothing() -> None:
    found = diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    assert found.fetching is not None
    idle = found.fetching._replace(busy=0.2)
    assert bound(Seen(found.line, found.ceiling, idle, 8)).kind == "handing over"
    none_won = found.ceiling._replace(free=found.ceiling.now)
    shares = {**found.line.shares, WAITING: 0.2, HOST: 0.5}
    line = found.line._replace(shares=shares)
    assert bound(Seen(line, none_won, found.fetching, 8)).kind == HOST


def test_slow_batches_are_what_is_waited_for_where_they_take_that_long() -> None:
    found = diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    assert found.fetching is not None
    uneven = found.fetching._replace(slow=0.7, slowest=0.9, busy=0.5)
    told = bound(Seen(found.line, found.ceiling, uneven, 8))
    assert told.kind == "slow batches"
    assert "one in ten takes 70% of the time of the workers, the slowest 900 ms" in told.sentence
    seldom = uneven._replace(busy=0.1)  # while the loop waits for half of its time
    assert bound(Seen(found.line, found.ceiling, seldom, 8)).kind == "handing over"


def test_on_ranks_the_straggler_is_told() -> None:
    slow, fast = diagnosed().line, diagnosed().line
    assert slow is not None
    assert fast is not None
    waits = {**fast.shares, WAITING_FOR_DEVICE: 0.6}
    fast = fast._replace(shares=waits, step=Spread(0.01, 0.01, None, None))
    found = slowest([fast, slow])
    assert found.shares == slow.shares
    assert found.step == slow.step


def test_a_rank_that_did_not_come_through_is_left_out() -> None:
    times = made.times()
    ended = made.record(times, doctor=made.examined(times, phases={}), rank=1)
    assert len(time_lines([made.record(times), ended])) == 1


ROWS = (
    (0, 0, 0.0, 1.0, 0),  # a launch
    (1, 0, 1.0, 1.0, 0),  # a synchronisation
    (2, 7, 0.5, 1.0, 1),  # a kernel, half of it beside the synchronisation
    (3, 8, 1.2, 0.5, 1),  # a copy, the most of it beside the kernel
)
DEVICE = Profile(names=("aten::mm", "cudaDeviceSynchronize", "gemm", "Memcpy HtoD"), rows=ROWS)


def test_with_a_device_its_kernels_are_compute() -> None:
    found = work(DEVICE, [(0.0, 3.0)], (0.0, 4.0))
    assert found.device == pytest.approx(0.25)
    assert found.steps[0] == pytest.approx(
        {HOST: 0.5 + 1.0, COMPUTE: 1.0, COPIES: 0.2, WAITING_FOR_DEVICE: 0.3}
    )


def test_operations_count_as_far_as_they_lie_in_a_step() -> None:
    profile = Profile(names=("aten::mm",), rows=((0, 0, 0.0, 10.0, 0),))
    found = work(profile, [(1.0, 2.0), (9.5, 11.0)], (0.0, 11.0))
    assert isinstance(found, Work)
    assert [step[COMPUTE] for step in found.steps] == pytest.approx([1.0, 0.5])
    assert [step[HOST] for step in found.steps] == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("aten::to", COPIES),
        ("aten::item", WAITING_FOR_DEVICE),
        ("gloo:all_reduce", WAITING_FOR_DEVICE),
        ("nccl:all_reduce", WAITING_FOR_DEVICE),
        ("aten::linear", COMPUTE),
        ("Optimizer.step#SGD.step", COMPUTE),
        ("autograd::engine::evaluate_function: MmBackward0", COMPUTE),
    ],
)
def test_what_an_operation_is(name: str, stage: str) -> None:
    profile = Profile(names=(name,), rows=((0, 0, 0.0, 1.0, 0),))
    assert work(profile, [(0.0, 1.0)], (0.0, 1.0)).steps[0][stage] == pytest.approx(1.0)
