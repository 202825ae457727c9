"""missing-set-epoch: the order of a DistributedSampler comes of its epoch, not of the pass."""

from __future__ import annotations

from torch.utils.data import DataLoader, DistributedSampler

ROWS = list(range(40))


def _order(loader: DataLoader[int]) -> list[int]:
    return [x for batch in loader for x in batch.tolist()]


def _loader(rank: int = 0) -> DataLoader[int]:
    sampler = DistributedSampler(ROWS, num_replicas=2, rank=rank)
    return DataLoader(ROWS, batch_size=4, sampler=sampler)


def test_every_epoch_has_the_order_of_the_first() -> None:
    loader = _loader()
    first = _order(loader)
    assert first != sorted(first)
    assert all(_order(loader) == first for _ in range(3))


def test_each_rank_reads_the_same_half_for_ever() -> None:
    halves = [set(_order(_loader(rank))) for rank in (0, 1)]
    assert halves[0].isdisjoint(halves[1])
    assert set(_order(_loader(0))) == halves[0]


def test_set_epoch_draws_another_order_and_another_half() -> None:
    loader = _loader()
    first = _order(loader)
    assert isinstance(loader.sampler, DistributedSampler)
    loader.sampler.set_epoch(1)
    assert _order(loader) != first
    assert set(_order(loader)) != set(first)
