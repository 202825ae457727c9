"""Hazards, and limits of the machine, of runs that never were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dlint.doctor.hazards import hazards
from dlint.doctor.machine import cpu_quota, machine, memory_limit_of, tight
from dlint.verify.measure.record import Epoch
from tests.doctor import made

MIB = 2**20


def kinds(*records: Any, **given: Any) -> set[str]:
    return {hazard.kind for hazard in hazards(made.run(*records, **given))}


def record(part: dict[str, Any] | None = None, **given: Any) -> Any:
    """A record whose loader differs in `given`, and what was asked beside in `part`."""
    times = made.times()
    loader, doctor = made.loader(times, **given), made.examined(times, **(part or {}))
    return made.record(times, loaders=(loader,), doctor=doctor)


def test_a_usual_run_has_none() -> None:
    assert kinds() == set()


def test_threads_at_a_fork() -> None:
    start = {"method": "fork", "threads": ("logger",)}
    assert kinds(record({"starts": (start,)})) == {"threads at fork"}
    assert kinds(record({"starts": ({**start, "method": "spawn"},)})) == set()
    assert kinds(record({"starts": ({**start, "threads": ()},)})) == set()


@pytest.mark.parametrize(
    ("given", "expected", "said"),
    [
        ({"cuda": True}, {"CUDA at fork"}, "Cannot re-initialize CUDA"),
        ({"opencv": 8}, {"OpenCV at fork"}, "OpenCV worked with 8 threads"),
        ({"opencv": 1}, set(), ""),
        ({"cuda": True, "opencv": 8, "method": "spawn"}, set(), ""),
    ],
)
def test_what_a_fork_takes_along(given: dict[str, Any], expected: set[str], said: str) -> None:
    found = hazards(made.run(record({"starts": ({"method": "fork", **given},)})))
    assert {hazard.kind for hazard in found} == expected
    assert all(hazard.information and said in hazard.text for hazard in found)


@pytest.mark.parametrize(
    ("shapes", "failure", "said"),
    [
        ({"(16)": [90, 0], "(9)": [2, 37]}, None, "2 of 184 samples are unlike the others, one"),
        ({"(16)": [90, 0]}, None, ""),
        ({"(16)": [20, 0], "(9)": [1, 37]}, None, ""),  # too few to say what is usual
        ({"(16)": [90, 0], "(9)": [30, 37]}, None, ""),  # of two kinds
        ({"(16)": [90, 0], "(9)": [2, 37]}, {"error": "e", "odd": None}, ""),
    ],
)
def test_samples_that_are_unlike_the_others(shapes: Any, failure: Any, said: str) -> None:
    """One of two workers met them; of a batch that could not be made another hazard tells."""

    def told(known: dict[str, list[Any]]) -> list[dict[str, Any]]:
        return [{"usual": s, "count": n, "index": index} for s, (n, index) in known.items()]

    few = shapes["(16)"] == [20, 0]
    usual = made.fetched(made.times(), met={"shapes": told({} if few else {"(16)": [92, 0]})})
    odd = made.fetched(made.times(), met={"shapes": told(shapes), "failure": failure})
    found = [h for h in hazards(made.run(workers={11: usual, 12: odd})) if h.kind == "odd shape"]
    assert len(found) == bool(said)
    assert all(h.text.startswith(said) and h.information for h in found)
    assert all("at index 37: (9), others are (16)" in h.text for h in found)


def test_lengths() -> None:
    assert kinds(record(length=31)) == {"length"}
    ended = Epoch(kind="new", start=0.0, batches=0, wait=0.0, end=1.0, tail=0.1)
    assert kinds(record(epochs=(ended,))) == {"empty loader"}
    left = Epoch(kind="new", start=0.0, batches=7, wait=0.0)  # by `break`
    assert kinds(record(epochs=(left,))) == set()


@pytest.mark.parametrize(
    ("samples", "given", "expected"),
    [
        (241, {}, {"last batch of one"}),
        (240, {}, set()),
        (241, {"drop_last": 1}, set()),
        (241, {"batch_size": 1}, set()),
        (241, {"optimizer_steps": 0}, set()),
    ],
)
def test_a_last_batch_of_one(samples: int, given: dict[str, Any], expected: set[str]) -> None:
    facts = {"loaders": ({"samples": samples, "dataset_length": samples, "iterable": False},)}
    assert kinds(record(facts, **given)) == expected


def test_streams_that_are_read_twice() -> None:
    def workers(*hashes: list[str]) -> dict[int, Any]:
        return {
            pid: made.fetched(made.times(), met={"hashes": found})
            for pid, found in zip((11, 12), hashes, strict=True)
        }

    letters = list("abcdefgh")
    assert kinds(workers=workers(letters, letters)) == {"duplicates"}
    assert kinds(workers=workers(letters[:4], letters[4:])) == set()
    assert kinds(workers=workers(["a"] * 8, ["a"] * 8)) == set()  # all samples are alike


def test_ranks() -> None:
    times = made.times()
    one = made.record(times, world=2)
    own = made.loader(times, worker_pids=(21, 22))
    two = made.record(times, world=2, rank=1, pid=20, loaders=(own,))

    def workers(second: int, content: str = "row") -> dict[int, Any]:
        def met(start: int, content: str) -> dict[str, Any]:
            indices = list(range(start, start + 40))
            return {"indices": indices, "hashes": [f"{content} {n}" for n in indices[:20]]}

        first = made.fetched(times, met=met(0, "row"))
        return {11: first, 21: made.fetched(times, met=met(second, content))}

    assert kinds(one, two, workers=workers(0)) == {"duplicates"}
    assert kinds(one, two, workers=workers(40)) == set()
    assert kinds(one, two, workers=workers(0, "row of another shard")) == set()
    longer = made.loader(times, worker_pids=(21, 22), length=31, epochs=())
    two = made.record(times, world=2, rank=1, pid=20, loaders=(longer,))
    assert kinds(one, two, workers=workers(40)) == {"ranks apart"}


def test_quotas_of_containers(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path) is None
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert cpu_quota(tmp_path) is None
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert cpu_quota(tmp_path) == 1.5
    (tmp_path / "memory.max").write_text(f"{64 * MIB}\n")
    assert memory_limit_of(tmp_path) == 64 * MIB
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_limit_of(tmp_path) > 64 * MIB


def test_quotas_of_older_containers(tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_quota_us").write_text("-1")
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000")
    assert cpu_quota(tmp_path) is None
    (tmp_path / "cpu/cpu.cfs_quota_us").write_text("50000")
    assert cpu_quota(tmp_path) == 0.5


def test_what_is_too_little() -> None:
    usual = made.run()
    found = made.diagnosed(usual)
    assert found.machine is not None
    plain = found.machine._replace(growth=0, memory=0, shm_needed=0, open_files=10)
    assert list(tight(plain, None)) == []
    for facts, said in (
        ({"shm_needed": 90, "shm_free": 100}, "/dev/shm"),
        ({"open_files": 900, "most_open_files": 1024}, "900 of 1024 files are open"),
        ({"growth": 50 * MIB, "worker_pss": 90 * MIB}, "grew by 50 MiB while"),
        (
            {"growth": 50 * MIB, "worker_pss": 90 * MIB, "growth_epoch": 10 * MIB},
            "grew by 50 MiB, 10 MiB an epoch, while it was looked at, to 90 MiB",
        ),
        ({"memory": 95 * MIB, "memory_limit": 100 * MIB}, "95 of 100 MiB"),
        ({"opencv": 8, "workers": 4, "cpus": 4}, "OpenCV has 8 threads in each worker (4)"),
        ({"ranks": 2, "threads": 8, "cpus": 4}, "2 ranks compute with 8 threads each, on 4 CPUs"),
    ):
        told = list(tight(plain._replace(**facts), None))
        assert len(told) == 1
        assert said in told[0]
    assert found.fetching is not None
    waits = found.fetching._replace(delayed=0.4)
    assert "making batches waits 40% of its time" in next(iter(tight(plain, waits)))


def test_batches_that_may_lie_in_shared_memory() -> None:
    usual = made.run()
    found = machine(usual, usual.records, made.diagnosed(usual).fetching)
    assert found.shm_needed == 2 * 2 * 4096
    short = record(length=3)
    found = machine(made.run(short), [short], made.diagnosed(usual).fetching)
    assert found.shm_needed == 3 * 4096, "an epoch has no more"
