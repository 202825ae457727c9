"""Settings that the figures of a run speak for."""

from __future__ import annotations

from typing import Any

import pytest

from dlint.doctor.settings import Known, settings, workers
from tests.doctor import made

MIB = 2**20


def known(kind: str = "workers", on_gpu: bool = False, **given: Any) -> Known:
    """What is known of a loop that six workers would feed, on a machine with enough of all."""
    found = made.diagnosed()
    assert found.fetching is not None
    assert found.ceiling is not None
    assert found.machine is not None
    loader = made.loader(made.times(), **given)
    machine = found.machine._replace(cpus=32, memory=0, memory_limit=2**35, worker_memory=MIB)
    return Known(kind, loader, found.fetching, found.ceiling, machine, on_gpu)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (known(), {"num_workers": 6, "persistent_workers": True}),
        (known("loading", num_workers=0), {"num_workers": 6, "persistent_workers": True}),
        (known(persistent_workers=1), {"num_workers": 6}),
        (known(num_workers=6, persistent_workers=1), None),
        (known("starting"), {"persistent_workers": True}),
        (known("starting", persistent_workers=1), None),
        (known("slow batches", persistent_workers=1), {"prefetch_factor": 4}),
        (known("slow batches", persistent_workers=1, prefetch_factor=3), {"prefetch_factor": 6}),
        (known("compute"), None),
        (known("host"), None),
        (known("copies", True, pinned=False), {"pin_memory": True}),
        (known("copies", True, pinned=True), None),
        (known("copies", False, pinned=False), None),
    ],
)
def test_what_is_worth_a_try(one: Known, expected: dict[str, Any] | None) -> None:
    assert settings(one) == expected


def test_no_more_workers_than_there_are_processors_for() -> None:
    one = known()
    own = one.ceiling.free_step / one.ceiling.now
    cpus = own + 3.5 * one.fetching.computing
    assert workers(one._replace(machine=one.machine._replace(cpus=cpus))) == 3
    assert workers(one._replace(machine=one.machine._replace(cpus=1.0))) >= 1
    two = one.machine._replace(cpus=2 * cpus, ranks=2)
    assert workers(one._replace(machine=two)) == 3


def test_no_more_workers_than_there_is_memory_for() -> None:
    one = known()
    tight = one.machine._replace(
        memory=700 * MIB, workers=2, worker_memory=100 * MIB, memory_limit=1000 * MIB
    )
    assert workers(one._replace(machine=tight)) == 3  # of 800, 500 are taken beside the workers
    full = tight._replace(memory=1000 * MIB)
    assert workers(one._replace(machine=full)) == 0
    assert settings(one._replace(machine=full)) is None
