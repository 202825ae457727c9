"""A new loader has new workers, even where workers are to be kept; a kept loader shuffles anew."""

from __future__ import annotations

import os

import torch
from torch.utils.data import DataLoader, Dataset


class _Process(Dataset[int]):
    """Samples that say which process made them."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return os.getpid()


def _loader() -> DataLoader[int]:
    return DataLoader(
        _Process(), num_workers=1, persistent_workers=True, multiprocessing_context="fork"
    )


def _epoch(loader: DataLoader[int]) -> set[int]:
    return {int(value) for batch in loader for value in batch}


def test_a_new_loader_starts_its_workers_anew() -> None:
    first, second = _loader(), _loader()
    assert not _epoch(first) & _epoch(second)
    assert _epoch(first) == _epoch(first)


def test_one_loader_draws_a_new_order_each_time() -> None:
    torch.manual_seed(0)
    loader: DataLoader[int] = DataLoader(range(50), batch_size=50, shuffle=True)  # type: ignore[arg-type]
    orders = [next(iter(loader)).tolist() for _ in range(2)]  # type: ignore[attr-defined]
    assert orders[0] != orders[1]
