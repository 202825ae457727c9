"""iterable-without-worker-sharding: samples come once for each worker, or once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, IterableDataset, get_worker_info  # noqa: E402


class _Whole(IterableDataset):  # type: ignore[misc]
    def __iter__(self) -> Iterator[int]:
        return iter(range(6))


class _Split(IterableDataset):  # type: ignore[misc]
    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        return itertools.islice(range(6), first, None, step)


def _epoch(dataset: IterableDataset, workers: int) -> list[int]:
    context = "fork" if workers else None
    loader = DataLoader(
        dataset, batch_size=None, num_workers=workers, multiprocessing_context=context
    )
    return sorted(loader)


def test_each_worker_yields_all() -> None:
    assert _epoch(_Whole(), 1) == _epoch(_Whole(), 0) == list(range(6))
    assert _epoch(_Whole(), 2) == sorted([*range(6), *range(6)])


def test_split_by_worker_each_comes_once() -> None:
    assert _epoch(_Split(), 0) == _epoch(_Split(), 2) == list(range(6))
