"""unseeded-split: what splits without a seed of their own draw."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.utils.data import random_split

DATA = range(20)
PROGRAM = """
from torch.utils.data import random_split
print(sorted(random_split(range(1000), [900, 100])[1].indices))
"""


def _validation(seed: int, generator: torch.Generator | None) -> set[int]:
    torch.manual_seed(seed)
    return set(random_split(DATA, [15, 5], generator=generator)[1].indices)


def test_splits_differ_by_the_global_seed() -> None:
    first, second = (_validation(rank, torch.default_generator) for rank in range(2))
    assert first != second
    first, second = (_validation(rank, torch.Generator().manual_seed(3)) for rank in range(2))
    assert first == second


def test_two_runs_that_nobody_seeds_split_differently() -> None:
    runs = [subprocess.check_output([sys.executable, "-c", PROGRAM]) for _ in range(2)]
    assert runs[0] != runs[1]


def test_scikit_learn_draws_from_the_generator_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    selection = pytest.importorskip("sklearn.model_selection")
    drawn = []
    for seed in (0, 0, 1):
        np.random.seed(seed)
        drawn.append(selection.train_test_split(list(DATA))[1])
    assert drawn[0] == drawn[1] != drawn[2]
