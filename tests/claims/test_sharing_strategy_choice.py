"""What the two sharing strategies keep for tensors of workers: open files, or named files."""

from __future__ import annotations

import sys

import pytest

from tests.claims.conftest import Run

_PROGRAM = """
import glob, os, torch, torch.multiprocessing
from torch.utils.data import DataLoader
torch.multiprocessing.set_sharing_strategy("{strategy}")
loader = DataLoader(torch.zeros(30, 4), num_workers=1, multiprocessing_context="fork")
iterator = iter(loader)
kept = [next(iterator)]
workers = "|".join(str(w.pid) for w in iterator._workers)
before = len(os.listdir("/proc/self/fd"))
kept += list(iterator)
named = glob.glob(f"/dev/shm/torch_{{workers}}_*")
print(len(os.listdir("/proc/self/fd")) - before, len(named), sum(map(os.path.getsize, named)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="shared memory of Linux")
def test_what_is_kept(fresh: Run) -> None:
    found = {}
    for strategy in ("file_descriptor", "file_system"):
        ran = fresh(_PROGRAM.format(strategy=strategy))
        found[strategy] = [int(part) for part in ran.out.split()]
    opened, named, _ = found["file_descriptor"]
    assert opened > 20
    assert named == 0
    opened, named, size = found["file_system"]
    assert opened <= 5
    assert named == 30
    assert size >= 30 * 16
