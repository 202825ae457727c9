"""worker-local-state: what workers see of an attribute that is set in each epoch."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import DataLoader, Dataset


class Plain(Dataset[int]):
    """Each sample is the epoch that the worker knows of."""

    def __init__(self) -> None:
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> int:
        return self.epoch


class Shared(Plain):
    """Keeps the epoch in shared memory."""

    def __init__(self) -> None:
        self.shared = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        self.shared.fill_(epoch)

    def __getitem__(self, index: int) -> int:
        return int(self.shared)


@pytest.mark.parametrize(
    ("dataset", "persistent", "seen"),
    [(Plain(), True, [0, 0, 0]), (Plain(), False, [0, 1, 2]), (Shared(), True, [0, 1, 2])],
)
def test_what_workers_see(dataset: Plain, persistent: bool, seen: list[int]) -> None:
    loader = DataLoader(
        dataset, num_workers=1, persistent_workers=persistent, multiprocessing_context="fork"
    )
    found = []
    for epoch in range(3):
        dataset.set_epoch(epoch)
        found += [int(batch) for batch in loader]
    assert found == seen
