"""seed-in-epoch-loop: one order, and one augmentation, for all epochs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils.data import DataLoader, Dataset


class _Noisy(Dataset[tuple[int, float]]):
    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> tuple[int, float]:
        return index, float(torch.rand(()))


def _epochs(seed: Callable[[int], int] | None, workers: int) -> list[list[tuple[int, float]]]:
    context = "fork" if workers else None
    loader = DataLoader(
        _Noisy(),
        batch_size=None,
        shuffle=True,
        num_workers=workers,
        multiprocessing_context=context,
    )
    torch.manual_seed(0)
    epochs = []
    for epoch in range(3):
        if seed is not None:
            torch.manual_seed(seed(epoch))
        epochs.append([(int(index), float(noise)) for index, noise in loader])
    return epochs


def test_epochs_repeat_and_differ() -> None:
    for workers in (0, 2):
        first, second, third = _epochs(lambda epoch: 1, workers)
        assert first == second == third
        for seed in (None, lambda epoch: epoch):
            first, second, third = _epochs(seed, workers)
            assert [i for i, _ in first] != [i for i, _ in second] != [i for i, _ in third]
