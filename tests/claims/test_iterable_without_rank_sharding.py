"""iterable-without-rank-sharding: `get_worker_info()` is the same on every rank."""

from __future__ import annotations

from pathlib import Path

from tests.claims.conftest import Interpreter

PROGRAM = """
import sys
from itertools import islice

import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

class Numbers(IterableDataset):
    def __init__(self, rank, world_size):
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        worker = get_worker_info()
        first = self.rank * worker.num_workers + worker.id
        return islice(range(8), first, None, self.world_size * worker.num_workers)

if __name__ == "__main__":
    path, rank = sys.argv[1], int(sys.argv[2])
    dist.init_process_group("gloo", f"file://{path}", rank=rank, world_size=2)
    for given in ((0, 1), (dist.get_rank(), dist.get_world_size())):
        samples = list(DataLoader(Numbers(*given), batch_size=None, num_workers=2))
        every = [None, None]
        dist.all_gather_object(every, samples)
        if rank == 0:
            print(sorted(every[0] + every[1]), every[0] == every[1])
    dist.destroy_process_group()
"""


def test_ranks_yield_the_same_unless_they_are_told_apart(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    group = str(tmp_path / "group")
    first, _ = interpreter.together(PROGRAM, [(group, "0"), (group, "1")])
    whole, parts = first.out.splitlines()
    assert whole == f"{sorted([*range(8), *range(8)])} True"
    assert parts == f"{list(range(8))} False"
