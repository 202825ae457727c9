"""What is read, how fast, and of which memory; of runs that never were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dlint.doctor.machine import tight
from dlint.doctor.report import words
from dlint.doctor.report.json import data
from dlint.doctor.storage import storage
from dlint.verify.measure.examined import Process, Read, read_fetched
from dlint.verify.measure.record import DeviceMemory
from dlint.verify.plan.secrecy import Secrets
from dlint.verify.run.memory import Memory
from tests.doctor import made

MIB = 2**20


def run(*reads: Read, **given: Any) -> Any:
    workers = {11: made.fetched(made.times(), reads=reads), 12: made.fetched(made.times())}
    return made.run(workers=workers, **given)


@pytest.mark.parametrize(
    ("reads", "cold", "warm"),
    [
        ((), None, None),
        ((Read(2.0, 100 * MIB, 0), Read(1.0, 80 * MIB, 0)), None, 60 * MIB),
        ((Read(2.0, 100 * MIB, 90 * MIB), Read(0.5, 80 * MIB, 0)), 50 * MIB, 160 * MIB),
        ((Read(2.0, 1000, 40 * MIB),), 20 * MIB, None),  # mapped into memory
        ((Read(2.0, 100 * MIB, 20 * MIB),), None, None),  # of both: nobody knows which took long
        ((Read(2.0, 1000, 0), Read(0.0, MIB, 0)), None, None),  # a queue, and nothing made
    ],
)
def test_rates(reads: tuple[Read, ...], cold: float | None, warm: float | None) -> None:
    one = run(*reads)
    found = storage(one, one.records, None, 2**40)
    assert (found.cold, found.warm) == (cold, warm)


def test_what_an_epoch_reads_beside_the_memory_that_is_left() -> None:
    memory = Memory()
    memory.peak_total = 300 * MIB
    one = run(memory=memory)
    fetching = made.diagnosed().fetching
    assert fetching is not None
    reading = fetching._replace(read=2.0 * MIB, stored=0.0)
    found = storage(one, one.records, reading, 301 * MIB)
    assert found.epoch_bytes == made.LENGTH * 2 * MIB
    assert found.cache <= MIB
    assert storage(one, one.records, reading._replace(read=900.0), 2**40).epoch_bytes is None
    mapped = reading._replace(read=900.0, stored=3.0 * MIB)
    assert storage(one, one.records, mapped, 2**40).epoch_bytes == made.LENGTH * 3 * MIB
    machine = made.diagnosed(one).machine
    assert machine is not None
    tight_one = machine._replace(epoch_bytes=60 * MIB, cache=MIB, memory=0, memory_limit=2**40)
    (told,) = tight(tight_one, None)
    assert told.startswith("an epoch reads 60 MiB, and 1 MiB are left for the page cache: much of")
    assert list(tight(tight_one._replace(cache=60 * MIB), None)) == []


def test_what_stands_between_two_lines_is_a_read(tmp_path: Path) -> None:
    def line(read: int | None, *rows: list[Any]) -> str:
        process = {"read": read, "stored": read and read // 2}
        told = {"rows": rows, "sent": [], "transforms": {}, "met": [], "process": process}
        return json.dumps(told) + "\n"

    row = [10.0, 11.0, 0.2, 0.25, 0.125, 8, 64, None]
    text = line(100) + line(1100, row, row) + line(None, row) + line(2000, row)
    (tmp_path / "fetch.7").write_text(text)
    assert read_fetched(tmp_path, Secrets())[7].reads == (Read(1.25, 1000, 500),)


def test_devices_and_pinned_memory() -> None:
    devices = (
        DeviceMemory(number=0, peak=3 * MIB, held=2 * MIB, used=9 * MIB, total=80 * MIB),
        DeviceMemory(number=1, peak=30 * MIB, held=2 * MIB, used=40 * MIB, total=80 * MIB),
    )
    times = made.times()
    own = made.examined(times, process=Process(pinned=5 * MIB, omp="4"))
    record = made.record(times, doctor=own, cuda_memory=devices, cuda_used=True)
    told = words.machine(data(made.diagnosed(made.run(record)))) or ""
    assert "the fullest device: 40.0 MiB of 80.0 MiB used, 30.0 MiB by torch at most" in told
    assert told.endswith("pinned memory 5.0 MiB")
    assert "1 process of 1 thread (OMP_NUM_THREADS=4)" in told
    plain = words.machine(data(made.diagnosed())) or ""
    assert not any(part in plain for part in ("device", "pinned", "OMP", "reads", "page cache"))


def test_rates_that_were_not_seen_are_said_to_be_so() -> None:
    one = run(Read(1.0, 80 * MIB, 0))
    told = words.machine(data(made.diagnosed(one))) or ""
    assert "read by a worker from a disk (cold): not seen, from memory (warm): 80.0 MiB/s" in told
