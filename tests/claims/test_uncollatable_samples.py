"""uncollatable-samples: what the default collate function does to what does not fit."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import default_collate


def test_lists_are_taken_apart() -> None:
    batch: Any = default_collate([{"x": [1.0, 2.0, 3.0]}, {"x": [4.0, 5.0, 6.0]}])
    assert [part.tolist() for part in batch["x"]] == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    with pytest.raises(AttributeError, match="'list' object has no attribute"):
        batch["x"].cuda()


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([torch.zeros(1, 5), torch.zeros(2, 5)], "stack expects each tensor to be equal size"),
        ([[1, 2], [1]], "each element in list of batch should be of equal size"),
    ],
)
def test_unequal_samples_raise(samples: list[Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        default_collate(samples)


def test_other_objects_raise() -> None:
    with pytest.raises(TypeError, match="default_collate: batch must contain tensors"):
        default_collate([object(), object()])
