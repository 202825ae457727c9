"""in-place-sample-edit: changes add up, or do not, by how the samples are taken."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset[Tensor]):
    """Adds one to a row, in place or to a copy."""

    def __init__(self, *, copies: bool) -> None:
        self.rows = torch.zeros(4, 2)
        self.copies = copies

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        row = self.rows[index].clone() if self.copies else self.rows[index]
        row += 1
        return row


def _sums(*, copies: bool, workers: int, persistent: bool = False) -> list[int]:
    loader = DataLoader(
        Rows(copies=copies),
        batch_size=4,
        num_workers=workers,
        persistent_workers=persistent,
        multiprocessing_context="fork" if workers else None,
    )
    return [int(sum(batch.sum() for batch in loader)) for _ in range(3)]


@pytest.mark.parametrize(("workers", "persistent"), [(0, False), (1, True)])
def test_changes_add_up(workers: int, persistent: bool) -> None:
    assert _sums(copies=False, workers=workers, persistent=persistent) == [8, 16, 24]
    assert _sums(copies=True, workers=workers, persistent=persistent) == [8, 8, 8]


def test_workers_that_are_started_anew_forget_them() -> None:
    assert _sums(copies=False, workers=1) == [8, 8, 8]
