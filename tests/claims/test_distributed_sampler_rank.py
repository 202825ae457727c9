"""What all ranks draw together, by the numbers that their samplers get."""

from __future__ import annotations

from collections import Counter

from torch.utils.data import DistributedSampler

DATA = list(range(20))


def _together(*samplers: DistributedSampler[int]) -> Counter[int]:
    return Counter(index for sampler in samplers for index in sampler)


def test_one_seed_gives_every_sample_once() -> None:
    drawn = _together(*(DistributedSampler(DATA, 2, rank, seed=7) for rank in range(2)))
    assert drawn == Counter(DATA)


def test_a_seed_for_each_rank_leaves_samples_out() -> None:
    drawn = _together(*(DistributedSampler(DATA, 2, rank, seed=7 + rank) for rank in range(2)))
    assert set(drawn) < set(DATA)
    assert max(drawn.values()) == 2


def test_local_ranks_repeat_on_each_machine() -> None:
    machines, devices = 2, 2
    world = machines * devices
    drawn = _together(
        *(
            DistributedSampler(DATA, world, local)
            for _ in range(machines)
            for local in range(devices)
        )
    )
    assert len(drawn) == len(DATA) // machines
    assert set(drawn.values()) == {machines}


def test_a_written_rank_leaves_the_parts_of_others_out() -> None:
    drawn = _together(*(DistributedSampler(DATA, 4, 0) for _ in range(4)))
    assert len(drawn) == len(DATA) // 4
