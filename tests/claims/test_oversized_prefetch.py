"""How many batches workers make ahead of the loop."""

from __future__ import annotations

import time

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class _Counting(Dataset[Tensor]):
    """Samples that count, in shared memory, which of them were made."""

    def __init__(self) -> None:
        self.made = torch.zeros(200, dtype=torch.int64).share_memory_()

    def __len__(self) -> int:
        return len(self.made)

    def __getitem__(self, index: int) -> Tensor:
        self.made[index] = 1
        return torch.zeros(1)


def _settled(made: Tensor) -> int:
    """The count, once it stays the same for a while."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < 0.3:
        if int(made.sum()) != last:
            last, since = int(made.sum()), time.monotonic()
        time.sleep(0.01)
    return last


@pytest.mark.parametrize(("workers", "factor"), [(2, 2), (2, 16), (1, 16)])
def test_batches_that_wait(workers: int, factor: int) -> None:
    data = _Counting()
    loader = DataLoader(
        data,
        batch_size=1,
        num_workers=workers,
        prefetch_factor=factor,
        multiprocessing_context="fork",
    )
    iterator = iter(loader)
    next(iterator)
    assert _settled(data.made) == workers * factor + 1
