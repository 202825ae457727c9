"""random-transform-in-eval: each pass over data with a random transform sees other samples."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset[torch.Tensor]):
    """Four pictures, each turned round by chance where that is asked for."""

    def __init__(self, *, augmented: bool) -> None:
        self.augmented = augmented

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        picture = torch.arange(16.0) * (index + 1)
        return picture[torch.randperm(16)] if self.augmented else picture


def _metric(*, augmented: bool) -> float:
    """What a model that only looks at the first half of a picture says of all of them."""
    return sum(x[:, :8].sum().item() for x in DataLoader(Pictures(augmented=augmented)))


def test_the_metric_differs_from_pass_to_pass() -> None:
    torch.manual_seed(0)
    assert len({_metric(augmented=True) for _ in range(5)}) > 1
    assert len({_metric(augmented=False) for _ in range(5)}) == 1
