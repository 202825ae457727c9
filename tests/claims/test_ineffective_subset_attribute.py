"""ineffective-subset-attribute: a Subset reads nothing but its data set and its indices."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, Dataset, Subset, random_split


class _Rows(Dataset[int]):
    def __init__(self) -> None:
        self.transform = int

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        return self.transform(index)


def _negative(number: int) -> int:
    return -number


def _read(part: Subset[int]) -> list[int]:
    return sorted(x for batch in DataLoader(part, batch_size=2) for x in batch.tolist())


def test_a_transform_on_a_part_changes_nothing() -> None:
    fit, held_out = random_split(_Rows(), [4, 2], torch.Generator().manual_seed(0))
    before = _read(fit)
    fit.transform = _negative  # type: ignore[attr-defined]
    assert _read(fit) == before
    assert _read(held_out) == sorted(set(range(6)) - set(before))


def test_one_on_the_data_set_behind_it_changes_both_parts() -> None:
    fit, held_out = random_split(_Rows(), [4, 2], torch.Generator().manual_seed(0))
    fit.dataset.transform = _negative  # type: ignore[attr-defined]
    assert all(x <= 0 for x in _read(fit) + _read(held_out))
