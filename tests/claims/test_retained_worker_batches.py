"""Batches of workers that are kept hold open files; copies of them do not."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from tests.claims.conftest import Run

_BATCHES = 40


class Pairs(Dataset[tuple[Tensor, Tensor]]):
    """Samples of two tensors."""

    def __len__(self) -> int:
        return _BATCHES

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return torch.full((8,), index), torch.tensor(index)


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize("copies", [False, True])
def test_open_files(copies: bool) -> None:
    loader = DataLoader(Pairs(), num_workers=1, multiprocessing_context="fork")
    kept: list[Tensor] = []
    iterator = iter(loader)
    next(iterator)
    before = _open_files()
    for _, label in iterator:
        kept.append(label.clone() if copies else label)
    more = _open_files() - before
    assert len(kept) == _BATCHES - 1
    assert (more >= len(kept) - 20) is not copies


_LIMITED = """
import resource, torch
from torch.utils.data import DataLoader
from test_retained_worker_batches import Pairs
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
loader = DataLoader(Pairs(), num_workers=1, multiprocessing_context="fork")
kept = [batch[1]{copy} for batch in loader]
print(len(kept))
"""


@pytest.mark.parametrize("copy", ["", ".clone()"])
def test_the_limit_of_open_files(fresh: Run, copy: str) -> None:
    ran = fresh(_LIMITED.format(copy=copy))
    if copy:
        assert ran.out.strip() == str(_BATCHES)
    else:
        assert "Too many open files" in ran.err
