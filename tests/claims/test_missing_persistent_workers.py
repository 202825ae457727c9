"""Each epoch has other workers, unless they are kept; kept ones keep their dataset too."""

from __future__ import annotations

import os

import pytest
import torch
from torch.utils.data import DataLoader, Dataset


class _Process(Dataset[int]):
    """Samples that say which process made them, or how the dataset was changed."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        return os.getpid() if self.number is None else self.number


def _loader(data: _Process, *, keep: bool) -> DataLoader[int]:
    return DataLoader(
        data,
        batch_size=4,
        num_workers=2,
        persistent_workers=keep,
        multiprocessing_context="fork",
    )


def _epoch(loader: DataLoader[int]) -> set[int]:
    return {int(value) for batch in loader for value in batch}


def test_each_epoch_starts_workers_unless_they_are_kept() -> None:
    dropping, keeping = _loader(_Process(), keep=False), _loader(_Process(), keep=True)
    assert not _epoch(dropping) & _epoch(dropping)
    assert _epoch(keeping) == _epoch(keeping)


def test_kept_workers_do_not_see_a_change_of_the_dataset() -> None:
    for keep in (False, True):
        data = _Process()
        loader = _loader(data, keep=keep)
        _epoch(loader)
        data.number = 7
        assert (_epoch(loader) == {7}) is not keep


def test_torch_refuses_to_keep_no_workers() -> None:
    with pytest.raises(ValueError, match="persistent_workers option needs num_workers > 0"):
        DataLoader(_Process(), persistent_workers=True)


def test_a_device_equals_no_text() -> None:
    """So `{"num_workers": 4} if device == "cuda" else {}` gives no workers on a GPU."""
    assert torch.device("cuda") != "cuda"
    assert not torch.device("cpu") == "cpu"  # noqa: SIM201
    assert torch.device("cuda").type == "cuda"
