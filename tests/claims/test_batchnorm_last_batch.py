"""What batchnorm-last-batch claims, seen under torch."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ERROR = "Expected more than 1 value per channel when training"


def test_one_sample_has_no_statistics() -> None:
    model = nn.Sequential(nn.Linear(20, 4), nn.BatchNorm1d(4))
    loader = DataLoader(TensorDataset(torch.zeros(33, 20)), batch_size=32)
    first, last = [x for (x,) in loader]
    model(first)
    with pytest.raises(ValueError, match=ERROR):
        model(last)
    model.eval()(last)


def test_a_point_has_none_and_an_image_has() -> None:
    image = torch.zeros(1, 3, 8, 8)
    nn.BatchNorm2d(3)(image)
    with pytest.raises(ValueError, match=ERROR):
        nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(3))(image)


def test_features_of_a_sequence_are_many() -> None:
    nn.BatchNorm1d(5)(torch.zeros(1, 5, 20))
