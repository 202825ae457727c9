"""The order of samples, and how many an evaluation sees: missing-shuffle, shuffle-in-eval,
dropped-eval-samples."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, TensorDataset

_DATA = TensorDataset(torch.arange(50))


def _pass(loader: DataLoader[tuple[torch.Tensor, ...]]) -> list[int]:
    return [int(value) for (batch,) in loader for value in batch]


def test_without_shuffle_every_epoch_has_one_order() -> None:
    loader = DataLoader(_DATA, batch_size=8)
    assert _pass(loader) == _pass(loader) == list(range(50))


def test_with_shuffle_every_pass_has_its_own() -> None:
    torch.manual_seed(0)
    loader = DataLoader(_DATA, batch_size=8, shuffle=True)
    first, second = _pass(loader), _pass(loader)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(50))


def test_drop_last_leaves_the_same_samples_out_each_time() -> None:
    loader = DataLoader(_DATA, batch_size=8, drop_last=True)
    assert _pass(loader) == _pass(loader) == list(range(48))
    assert _pass(DataLoader(_DATA, batch_size=64, drop_last=True)) == []
