"""What torch does with `in_order=False`."""

from __future__ import annotations

import time

import pytest
from torch.utils.data import DataLoader, Dataset

FIRST_IS_SLOW = 0.4


class Uneven(Dataset[int]):
    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        time.sleep(FIRST_IS_SLOW if index == 0 else 0)
        return index


def _order(**arguments: bool) -> list[int]:
    loader = DataLoader(Uneven(), num_workers=2, multiprocessing_context="fork", **arguments)
    return [int(batch) for batch in loader]


@pytest.mark.filterwarnings("ignore")
def test_batches_come_as_workers_finish_them() -> None:
    order = _order(in_order=False)
    assert sorted(order) == list(range(6))
    assert order[0] != 0


@pytest.mark.filterwarnings("ignore")
def test_batches_come_in_order_by_default() -> None:
    assert _order() == list(range(6))


def test_without_workers_it_does_nothing() -> None:
    loader = DataLoader(Uneven(), in_order=False)
    assert [int(batch) for batch in loader] == list(range(6))
