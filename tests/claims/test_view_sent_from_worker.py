"""view-sent-from-worker: how much memory stands behind a sample that a worker sends."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

_ROW = 10 * 4
_WHOLE = 1000 * _ROW


class Rows(Dataset[Tensor]):
    """Gives rows of a tensor, or copies of them."""

    def __init__(self, *, copies: bool) -> None:
        self.rows = torch.zeros(1000, 10)
        self.copies = copies

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        return self.rows[index].clone() if self.copies else self.rows[index]


@pytest.mark.parametrize(
    ("batch_size", "copies", "size"),
    [(None, False, _WHOLE), (None, True, _ROW), (2, False, 2 * _ROW)],
)
def test_memory_behind_what_arrives(batch_size: int | None, copies: bool, size: int) -> None:
    loader = DataLoader(
        Rows(copies=copies),
        batch_size=batch_size,
        num_workers=1,
        multiprocessing_context="fork",
    )
    assert [batch.untyped_storage().nbytes() for batch in loader] == [size] * len(loader)
