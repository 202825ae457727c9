"""What counts as memory of a run."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint.verify.run.memory import Memory

SIZE = 64 << 20
SHM = Path("/dev/shm")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A file of shared memory, named as torch does."""
    if not SHM.is_dir():
        pytest.skip("there is no /dev/shm")
    path = SHM / f"torch_{os.getpid()}_1_0"
    path.write_bytes(b"x" * SIZE)
    yield path
    path.unlink(missing_ok=True)


def _total() -> int:
    memory = Memory()
    memory.sample([os.getpid()], 0.0)
    return memory.peak_total


def _batches(total: int, without: int) -> int:
    """How many batches of that size are in a total."""
    return round((total - without) / SIZE)


def test_what_a_process_takes_at_each_moment() -> None:
    memory = Memory()
    memory.sample([os.getpid(), 2**22 + 1], 0.5)
    memory.sample([os.getpid()], 1.5)
    assert memory.sizes.keys() == {os.getpid()}, "of one that is gone nothing is known"
    first, second = memory.sizes[os.getpid()]
    assert (first.when, second.when) == (0.5, 1.5)
    assert first.private > 0
    if Path("/proc/self/smaps_rollup").exists():
        assert first.private < first.proportional, "libraries are shared with other processes"


def test_batches_that_wait_count_once(shared: Path) -> None:
    with_name = _total()
    file = shared.open("r+b")
    opened = _total()
    shared.unlink()
    without_name = _total()
    view = mmap.mmap(file.fileno(), SIZE)
    assert view.find(b"y") < 0
    mapped = _total()
    view.close()
    file.close()
    without = _total()
    data = SHM / f"data_{os.getpid()}"
    data.write_bytes(b"x" * SIZE)
    with data.open("rb"):
        data.unlink()
        assert _batches(_total(), without) == 0, "what the program keeps there is no batch"
    found = [_batches(n, without) for n in (with_name, opened, without_name, mapped)]
    assert found == [1, 1, 1, 1]
