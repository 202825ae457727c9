"""What all ranks see together when their data are divided once, and twice."""

from __future__ import annotations

from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, Subset

DATA = list(range(16))
RANKS = 2


def _samples(loader: DataLoader[int]) -> list[int]:
    return [index for batch in loader for index in batch.tolist()]


def _together(twice: bool) -> set[int]:
    seen: set[int] = set()
    for rank in range(RANKS):
        part = Subset(DATA, range(rank, len(DATA), RANKS)) if twice else DATA
        sampler = DistributedSampler(part, RANKS, rank)
        seen |= set(_samples(DataLoader(part, batch_size=2, sampler=sampler)))  # type: ignore[arg-type]
    return seen


def test_one_division_reaches_every_sample() -> None:
    assert _together(twice=False) == set(DATA)


def test_two_divisions_lose_samples() -> None:
    assert len(_together(twice=True)) == len(DATA) // RANKS


def test_batches_dealt_out_behind_a_distributed_sampler_lose_samples() -> None:
    """Accelerate deals the batches of any batch sampler out in turn."""
    seen: set[int] = set()
    for rank in range(RANKS):
        batches = BatchSampler(DistributedSampler(DATA, RANKS, rank), 2, drop_last=False)
        for number, batch in enumerate(batches):
            if number % RANKS == rank:
                seen |= set(batch)
    assert len(seen) == len(DATA) // RANKS
