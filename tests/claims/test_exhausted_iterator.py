"""What exhausted-iterator claims, seen under torch."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


def test_second_epoch_raises() -> None:
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2)
    batches = iter(loader)
    for _ in range(len(loader)):
        next(batches)
    with pytest.raises(StopIteration):
        next(batches)


def test_an_iterator_for_each_epoch() -> None:
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2)
    for _ in range(2):
        batches = iter(loader)
        for _ in range(len(loader)):
            next(batches)
