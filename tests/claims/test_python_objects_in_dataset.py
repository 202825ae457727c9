"""python-objects-in-dataset: forked workers come to own what they touch, if it is objects."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

_COUNT, _PARTS = 200_000, 4


class _Touching(Dataset):  # type: ignore[misc]
    """Takes a part of the records, and tells the private memory of its process afterwards."""

    def __init__(self, records: Sequence[object]) -> None:
        self.records = records

    def __len__(self) -> int:
        return _PARTS

    def __getitem__(self, part: int) -> int:
        for index in range(part, _COUNT, _PARTS):
            self.records[index]
        with open("/proc/self/smaps_rollup") as rollup:
            return next(int(line.split()[1]) for line in rollup if line.startswith("Private_Dirty"))


def _private_megabytes(records: Sequence[object]) -> float:
    loader = DataLoader(
        _Touching(records), batch_size=None, num_workers=1, multiprocessing_context="fork"
    )
    return max(loader) / 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_worker_copies_lists_of_objects_and_shares_arrays() -> None:
    texts = [f"a record with a number of its own, and that is {i:09d}" for i in range(_COUNT)]
    array = np.array(texts)
    objects = np.array(texts, dtype=object)
    held = sum(map(sys.getsizeof, texts)) / 2**20
    assert _private_megabytes(texts) - _private_megabytes(array) > held / 2
    assert _private_megabytes(objects) - _private_megabytes(array) > held / 2
