"""The orders that epochs have, by when and with what `set_epoch` is called."""

from __future__ import annotations

import pytest
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

DATA = list(range(32))


def _loader() -> tuple[DataLoader[int], DistributedSampler[int]]:
    sampler = DistributedSampler(DATA, num_replicas=2, rank=0)
    return DataLoader(DATA, batch_size=4, sampler=sampler), sampler


def _order(epoch: int) -> list[int]:
    _, sampler = _loader()
    sampler.set_epoch(epoch)
    return list(sampler)


def test_a_constant_gives_one_order() -> None:
    loader, sampler = _loader()
    orders = []
    for _ in range(3):
        sampler.set_epoch(0)
        orders.append([i for batch in loader for i in batch.tolist()])
    assert orders == [_order(0)] * 3


def test_a_call_among_the_batches_lags() -> None:
    loader, sampler = _loader()
    orders = []
    for epoch in range(3):
        orders.append([])
        for batch in loader:
            sampler.set_epoch(epoch)
            orders[-1] += batch.tolist()
    assert orders == [_order(0), _order(0), _order(1)]


@pytest.mark.parametrize(("step", "expected"), [(0, [0, 0, 1]), (1, [0, 1, 2])])
def test_a_call_behind_the_batches_sets_the_next_epoch(step: int, expected: list[int]) -> None:
    loader, sampler = _loader()
    orders = []
    for epoch in range(3):
        orders.append([i for batch in loader for i in batch.tolist()])
        sampler.set_epoch(epoch + step)
    assert orders == [_order(epoch) for epoch in expected]


def test_a_loader_with_a_batch_sampler_has_another_sampler() -> None:
    batches = BatchSampler(_loader()[1], 4, drop_last=True)
    loader = DataLoader(DATA, batch_sampler=batches)
    with pytest.raises(AttributeError, match="SequentialSampler"):
        loader.sampler.set_epoch(1)  # type: ignore[attr-defined]
    loader.batch_sampler.sampler.set_epoch(1)  # type: ignore[union-attr]
    assert [i for batch in loader for i in batch.tolist()] == _order(1)


def test_a_loader_without_a_sampler_makes_one_that_has_no_epoch() -> None:
    loader = DataLoader(DATA, batch_size=4, shuffle=True)
    with pytest.raises(AttributeError, match="RandomSampler"):
        loader.sampler.set_epoch(1)  # type: ignore[attr-defined]
