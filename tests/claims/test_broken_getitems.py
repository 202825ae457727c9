"""broken-getitems: overrides that torch refuses, and batches that are stacked as samples."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Dataset, Subset  # noqa: E402


class _Skipped(Subset):  # type: ignore[misc]
    def __getitem__(self, index: Any) -> int:
        return int(super().__getitem__(index)) + 100


class _Whole(_Skipped):
    def __getitems__(self, indices: list[int]) -> list[int]:
        return [self[index] for index in indices]


class _Rows(Dataset):  # type: ignore[misc]
    inputs, labels = torch.arange(3), torch.arange(3) * 10

    def __len__(self) -> int:
        return 3

    def __getitems__(self, indices: list[int]) -> Any:
        return self.inputs[indices], self.labels[indices]


def test_a_subset_with_its_own_getitem_alone_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="__getitems__"):
        _Skipped([1, 2], [0, 1])


def test_with_getitems_the_override_counts() -> None:
    assert next(iter(DataLoader(_Whole([1, 2], [0, 1]), batch_size=2))).tolist() == [101, 102]


def test_a_batch_is_taken_for_samples() -> None:
    stacked = next(iter(DataLoader(_Rows(), batch_size=3)))
    assert isinstance(stacked, torch.Tensor)
    assert stacked.tolist() == [[0, 1, 2], [0, 10, 20]]
    kept = next(iter(DataLoader(_Rows(), batch_size=3, collate_fn=lambda batch: batch)))
    assert [part.tolist() for part in kept] == [[0, 1, 2], [0, 10, 20]]
    assert isinstance(kept, tuple)
