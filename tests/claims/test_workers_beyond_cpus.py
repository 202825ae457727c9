"""Every rank starts as many workers as its loader is told, and torch warns of none of them."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from multiprocessing.queues import Queue

from torch.utils.data import DataLoader

_RANKS = 2


def _rank(found: Queue[tuple[int, int]]) -> None:
    workers = len(os.sched_getaffinity(0))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loader: DataLoader[int] = DataLoader(
            range(8),  # type: ignore[arg-type]
            num_workers=workers,
            multiprocessing_context="fork",
        )
        iterator = iter(loader)
    found.put((len(multiprocessing.active_children()), len(warned)))
    del iterator


def test_workers_of_all_ranks() -> None:
    context = multiprocessing.get_context("fork")
    found: Queue[tuple[int, int]] = context.Queue()
    ranks = [context.Process(target=_rank, args=(found,)) for _ in range(_RANKS)]
    for rank in ranks:
        rank.start()
    started, warned = zip(*(found.get(timeout=60) for _ in ranks), strict=True)
    for rank in ranks:
        rank.join()
    assert sum(started) == _RANKS * len(os.sched_getaffinity(0))
    assert set(warned) == {0}
