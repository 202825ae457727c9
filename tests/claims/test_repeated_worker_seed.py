"""repeated-worker-seed: what workers draw after a `worker_init_fn` has seeded them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

Init = Callable[[int], None]


class Drawn(Dataset[int]):
    """Each sample is a number from NumPy's global generator."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        return int(np.random.randint(2**31))


def _epochs(init: Init | None) -> tuple[list[int], list[int]]:
    loader = DataLoader(
        Drawn(), batch_size=1, num_workers=2, worker_init_fn=init, multiprocessing_context="fork"
    )
    return [int(x) for x in loader], [int(x) for x in loader]


def test_a_constant_makes_workers_alike() -> None:
    first, second = _epochs(lambda worker: np.random.seed(42))
    assert first[0::2] == first[1::2]
    assert first == second


def test_the_number_of_the_worker_makes_epochs_alike() -> None:
    first, second = _epochs(lambda worker: np.random.seed(42 + worker))
    assert first[0::2] != first[1::2]
    assert first == second


def test_the_first_word_of_the_state_is_a_constant() -> None:
    first, second = _epochs(
        lambda worker: np.random.seed(np.random.get_state()[1][0] + worker)  # type: ignore[index]
    )
    assert first[0::2] != first[1::2]
    assert first == second


def test_torch_seeds_workers_and_epochs_apart() -> None:
    for init in (None, lambda worker: np.random.seed(torch.initial_seed() % 2**32)):
        first, second = _epochs(init)
        assert len({*first, *second}) == 16
