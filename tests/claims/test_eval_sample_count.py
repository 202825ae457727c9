"""How many samples loaders read, and how large their dataset says it is."""

from __future__ import annotations

from torch.utils.data import DataLoader, DistributedSampler, SubsetRandomSampler

DATA = list(range(10))


def _seen(loader: DataLoader[int]) -> int:
    return sum(len(batch) for batch in loader)


def test_a_subset_is_not_the_dataset() -> None:
    loader = DataLoader(DATA, batch_size=4, sampler=SubsetRandomSampler([1, 2, 3]))
    assert (_seen(loader), len(loader.sampler), len(loader.dataset)) == (3, 3, 10)


def test_a_rank_reads_its_part() -> None:
    loader = DataLoader(DATA, batch_size=4, sampler=DistributedSampler(DATA, 2, 0))
    assert (_seen(loader), len(loader.sampler), len(loader.dataset)) == (5, 5, 10)


def test_the_last_batch_is_dropped() -> None:
    loader = DataLoader(DATA, batch_size=4, drop_last=True)
    assert (_seen(loader), len(loader.dataset)) == (8, 10)


def test_ranks_repeat_samples() -> None:
    drawn = [i for rank in range(4) for i in DistributedSampler(DATA, 4, rank, shuffle=False)]
    assert len(drawn) == 12
    assert sorted(set(drawn)) == DATA
