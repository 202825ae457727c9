"""Without workers the loop itself makes the batch; with workers others do, ahead of it."""

from __future__ import annotations

import os

import torch
from torch.utils.data import DataLoader, Dataset


class _Process(Dataset[int]):
    """Samples that say which process made them."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        return os.getpid()


def test_who_makes_the_samples() -> None:
    alone: DataLoader[int] = DataLoader(_Process(), batch_size=4)
    assert {int(pid) for batch in alone for pid in batch} == {os.getpid()}
    helped: DataLoader[int] = DataLoader(
        _Process(), batch_size=4, num_workers=1, multiprocessing_context="fork"
    )
    assert os.getpid() not in {int(pid) for batch in helped for pid in batch}


class _Counting(Dataset[int]):
    """Samples that count, in shared memory, how many were made."""

    def __init__(self) -> None:
        self.made = torch.zeros(1, dtype=torch.int64).share_memory_()

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        self.made += 1
        return index


def test_without_workers_nothing_is_made_ahead() -> None:
    data = _Counting()
    next(iter(DataLoader(data, batch_size=1)))
    assert int(data.made) == 1
