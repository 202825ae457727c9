"""What cycled-loader claims, seen under torch."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Iterator
from itertools import cycle, islice

import torch
from torch.utils.data import DataLoader, TensorDataset


def _loader() -> DataLoader[tuple[torch.Tensor, ...]]:
    return DataLoader(TensorDataset(torch.arange(40)), batch_size=4, shuffle=True)


def _endless(loader: Iterable[list[torch.Tensor]]) -> Iterator[list[torch.Tensor]]:
    while True:
        yield from loader


def _passes(batches: Iterator[list[torch.Tensor]]) -> list[list[int]]:
    return [[i for (b,) in islice(batches, 10) for i in b.tolist()] for _ in range(2)]


def test_second_pass_repeats_the_first() -> None:
    torch.manual_seed(0)
    first, second = _passes(cycle(_loader()))
    assert first == second
    first, second = _passes(_endless(_loader()))
    assert first != second
    assert sorted(first) == sorted(second)


def _alive(batches: Iterator[list[torch.Tensor]]) -> int:
    seen = [weakref.ref(batch[0]) for batch in islice(batches, 10)]
    gc.collect()
    return sum(ref() is not None for ref in seen)


def test_every_batch_is_kept() -> None:
    assert _alive(cycle(_loader())) == 10
    assert _alive(_endless(_loader())) <= 1
