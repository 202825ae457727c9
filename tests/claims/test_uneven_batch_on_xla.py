"""What uneven-batch-on-xla claims of batches, seen under torch; XLA itself is not run here."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@pytest.mark.parametrize(
    ("samples", "drop_last", "shapes"),
    [(60000, False, {128, 76}), (60000, True, {128}), (61440, False, {128})],
)
def test_batches_of_a_rank_have_one_shape_or_two(
    samples: int, drop_last: bool, shapes: set[int]
) -> None:
    data = TensorDataset(torch.zeros(samples))
    sampler = DistributedSampler(data, num_replicas=8, rank=3)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=drop_last)
    assert {len(x) for (x,) in loader} == shapes


def test_nothing_is_left_of_less_than_a_batch() -> None:
    assert not list(DataLoader(TensorDataset(torch.zeros(8)), batch_size=16, drop_last=True))
