"""Batches of small samples in memory come faster without workers, and in the same order."""

from __future__ import annotations

import time

import torch
from torch.utils.data import DataLoader, TensorDataset

_DATA = TensorDataset(torch.arange(2_000, dtype=torch.float32))


def _timed(loader: DataLoader[tuple[torch.Tensor, ...]]) -> tuple[float, list[float]]:
    """The seconds between the first batch and the last, and all samples."""
    iterator = iter(loader)
    seen = [*next(iterator)[0].tolist()]
    begin = time.perf_counter()
    for (batch,) in iterator:
        seen += batch.tolist()
    return time.perf_counter() - begin, seen


def test_workers_make_small_samples_slower() -> None:
    torch.manual_seed(0)
    alone, order = _timed(DataLoader(_DATA, batch_size=4, shuffle=True))
    torch.manual_seed(0)
    helped, same = _timed(
        DataLoader(_DATA, batch_size=4, shuffle=True, num_workers=1, multiprocessing_context="fork")
    )
    assert order == same
    assert helped > alone
