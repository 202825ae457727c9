"""grad-tensor-in-dataset: what workers raise for tensors that require grad."""

from __future__ import annotations

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


def _points() -> torch.Tensor:
    return torch.zeros(4, 2, requires_grad=True)


@pytest.mark.parametrize("points", [_points(), _points() * 2, torch.nn.Linear(2, 2)(_points())])
def test_a_worker_makes_no_batch_with_gradients(points: torch.Tensor) -> None:
    with pytest.raises(RuntimeError, match="requires grad"):
        list(DataLoader(TensorDataset(points), batch_size=2, num_workers=1))


def test_without_workers_or_gradients_it_does() -> None:
    batches = list(DataLoader(TensorDataset(_points()), batch_size=2))
    assert all(x.requires_grad and not x.is_leaf for (x,) in batches)
    (first, _) = DataLoader(TensorDataset(_points().detach()), batch_size=2, num_workers=1)
    assert not first[0].requires_grad


def _stacked(samples: list[tuple[torch.Tensor]]) -> torch.Tensor:
    return torch.stack([x for (x,) in samples])


def test_a_stacked_batch_cannot_be_sent() -> None:
    loader = DataLoader(
        TensorDataset(_points()), batch_size=2, num_workers=1, collate_fn=_stacked, timeout=5
    )
    with pytest.raises(RuntimeError):
        list(loader)
