"""seed-per-sample: what samples draw behind a seed of their own."""

from __future__ import annotations

import random

import pytest
from torch.utils.data import DataLoader, Dataset


class _Drawn(Dataset[float]):
    def __init__(self, *, seeded: bool) -> None:
        self.seeded = seeded

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> float:
        if self.seeded:
            random.seed(0)
        return random.random()


@pytest.mark.parametrize("workers", [0, 2])
def test_all_samples_draw_the_same(workers: int) -> None:
    loader = DataLoader(_Drawn(seeded=True), batch_size=None, num_workers=workers)
    assert len({float(x) for _ in range(2) for x in loader}) == 1
    loader = DataLoader(_Drawn(seeded=False), batch_size=None, num_workers=workers)
    assert len({float(x) for _ in range(2) for x in loader}) == 12
