"""What loaders yield when their sampler draws something else than their indices."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
)

DATA = TensorDataset(torch.arange(20.0))


def _batches() -> BatchSampler:
    return BatchSampler(SequentialSampler(DATA), 4, drop_last=True)


def _shapes(loader: DataLoader[tuple[torch.Tensor, ...]]) -> set[tuple[int, ...]]:
    return {tuple(batch[0].shape) for batch in loader}


def test_a_batch_sampler_as_sampler_batches_twice() -> None:
    assert _shapes(DataLoader(DATA, batch_sampler=_batches())) == {(4,)}
    assert _shapes(DataLoader(DATA, batch_size=None, sampler=_batches())) == {(4,)}
    assert _shapes(DataLoader(DATA, batch_size=2, sampler=_batches())) == {(2, 4), (1, 4)}
    assert _shapes(DataLoader(DATA, sampler=_batches())) == {(1, 4)}


def test_single_indices_are_no_batches() -> None:
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        next(iter(DataLoader(DATA, batch_sampler=RandomSampler(DATA))))  # type: ignore[arg-type]


def test_a_sampler_of_other_data_is_short_or_out_of_range() -> None:
    small = Subset(DATA, range(5))
    assert len(DataLoader(DATA, sampler=RandomSampler(small))) == 5
    with pytest.raises(IndexError):
        list(DataLoader(small, sampler=RandomSampler(DATA)))


def test_indices_of_a_subset_are_its_own() -> None:
    indices = [10, 11, 12]
    with pytest.raises(IndexError):
        list(DataLoader(Subset(DATA, indices), sampler=SubsetRandomSampler(indices)))


def test_weights_of_classes_draw_the_first_samples() -> None:
    labels = torch.tensor([0] * 15 + [1] * 5)
    weights = 1 / torch.bincount(labels)
    few = set(WeightedRandomSampler(weights, len(labels) * 50))  # type: ignore[arg-type]
    assert few == {0, 1}
    all_of_them = set(WeightedRandomSampler(weights[labels], len(labels) * 50))  # type: ignore[arg-type]
    assert all_of_them == set(range(20))


def test_weights_of_a_whole_set_are_out_of_range_in_a_part() -> None:
    part = Subset(DATA, range(5))
    with pytest.raises(IndexError):
        list(DataLoader(part, sampler=WeightedRandomSampler([1.0] * 20, 200)))


def test_a_list_for_an_index_raises_in_a_list() -> None:
    rows = [1, 2, 3, 4]
    batches = BatchSampler(SequentialSampler(rows), 2, drop_last=False)
    with pytest.raises(TypeError, match="list indices must be integers or slices, not list"):
        next(iter(DataLoader(rows, sampler=batches)))  # type: ignore[arg-type]
