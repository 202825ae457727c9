"""rng-in-dataset-init: workers draw the same numbers from a generator that they were given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

Rng = np.random.Generator


class Drawn(Dataset[int]):
    """Each sample is a number that was drawn."""

    def __init__(self, make: Callable[[], Rng] | None) -> None:
        self.rng = None if make is None else make()

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
        return int(self.rng.integers(2**40))


def _epochs(make: Callable[[], Rng] | None) -> tuple[list[int], list[int]]:
    loader = DataLoader(Drawn(make), batch_size=1, num_workers=2, multiprocessing_context="fork")
    return [int(x) for x in loader], [int(x) for x in loader]


def test_workers_and_epochs_draw_the_same_numbers() -> None:
    for make in (lambda: np.random.default_rng(0), np.random.default_rng):
        first, second = _epochs(make)
        assert first[0::2] == first[1::2]
        assert first == second


def test_generators_made_in_workers_draw_their_own() -> None:
    first, second = _epochs(None)
    assert len({*first, *second}) == 16
