"""What iterator-restart-in-loop claims, seen under torch."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, TensorDataset


def _loader(*, shuffle: bool = False, workers: int = 0) -> DataLoader[tuple[torch.Tensor, ...]]:
    return DataLoader(
        TensorDataset(torch.arange(6)),
        batch_size=2,
        shuffle=shuffle,
        num_workers=workers,
        persistent_workers=workers > 0,
        multiprocessing_context="fork" if workers else None,
    )


def test_each_step_has_the_first_batch() -> None:
    loader = _loader()
    restarted = [next(iter(loader))[0].tolist() for _ in range(4)]
    assert restarted == [[0, 1]] * 4
    batches = iter(loader)
    assert [next(batches)[0].tolist() for _ in range(3)] == [[0, 1], [2, 3], [4, 5]]


def test_shuffled_steps_are_no_pass_over_the_data() -> None:
    torch.manual_seed(0)
    loader = _loader(shuffle=True)
    drawn = [i for _ in range(30) for i in next(iter(loader))[0].tolist()]
    passes = [tuple(sorted(drawn[i : i + 6])) for i in range(0, 60, 6)]
    assert set(passes) != {tuple(range(6))}
    passed = [i for _ in range(10) for (batch,) in loader for i in batch.tolist()]
    assert {tuple(sorted(passed[i : i + 6])) for i in range(0, 60, 6)} == {tuple(range(6))}


def test_nested_loops_share_the_iterator_of_persistent_workers() -> None:
    shared, apart = _loader(workers=1), _loader()
    assert sum(1 for _ in shared for _ in shared) == 3
    assert sum(1 for _ in apart for _ in apart) == 9


def test_zip_pairs_neighbours() -> None:
    loader, other = _loader(workers=1), _loader()
    assert [(a[0].tolist(), b[0].tolist()) for a, b in zip(loader, loader, strict=False)] == [
        ([0, 1], [2, 3])
    ]
    assert len(list(zip(other, other, strict=True))) == 3
