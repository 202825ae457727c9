"""nested-parallelism-in-worker: daemons may have no children, and compute with one thread."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset[int]):
    """Works on a sample with processes, or with threads."""

    def __init__(self, *, processes: bool) -> None:
        self.processes = processes

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        if self.processes:
            with multiprocessing.get_context("fork").Pool(2) as pool:
                return sum(pool.map(abs, [index]))
        with ThreadPoolExecutor(2) as threads:
            return sum(threads.map(abs, [index])) + torch.get_num_threads()


def _loader(*, processes: bool) -> DataLoader[int]:
    return DataLoader(Parts(processes=processes), num_workers=1, multiprocessing_context="fork")


def test_a_worker_cannot_start_processes() -> None:
    with pytest.raises(AssertionError, match="daemonic processes are not allowed"):
        next(iter(_loader(processes=True)))


def test_a_worker_can_start_threads_and_computes_with_one() -> None:
    assert [int(batch) for batch in _loader(processes=False)] == [1, 2]
