"""What each of two ranks draws, with and without a distributed sampler."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    TensorDataset,
)

SAMPLES = 16

Result = tuple[list[float], list[float]]
"""The samples that a rank drew, and the gradients that it got after its batches."""


def _data() -> TensorDataset:
    return TensorDataset(torch.arange(SAMPLES, dtype=torch.float32).unsqueeze(1))


def _plain(rank: int) -> DataLoader[tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    return DataLoader(_data(), batch_size=4, shuffle=True)


def _seeded(rank: int) -> DataLoader[tuple[torch.Tensor, ...]]:
    torch.manual_seed(rank)
    return DataLoader(_data(), batch_size=4, shuffle=True)


def _drawn(rank: int) -> DataLoader[tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    data = _data()
    return DataLoader(data, batch_sampler=BatchSampler(RandomSampler(data), 4, drop_last=True))


def _split(rank: int) -> DataLoader[tuple[torch.Tensor, ...]]:
    data = _data()
    return DataLoader(data, batch_size=4, sampler=DistributedSampler(data))


Make = Callable[[int], DataLoader[tuple[torch.Tensor, ...]]]


MAKERS: dict[str, Make] = {
    "plain": _plain,
    "seeded": _seeded,
    "drawn": _drawn,
    "split": _split,
}


def _train(rank: int, store: str, results: SimpleQueue[tuple[int, dict[str, Result]]]) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    results.put((rank, {name: _epoch(model, make(rank)) for name, make in MAKERS.items()}))
    dist.destroy_process_group()


def _epoch(model: DistributedDataParallel, loader: DataLoader[tuple[torch.Tensor, ...]]) -> Result:
    drawn: list[float] = []
    gradients: list[float] = []
    for (batch,) in loader:
        model.zero_grad()
        model(batch).sum().backward()
        drawn += batch.flatten().tolist()
        gradients.append(next(model.parameters()).grad.item())
    return drawn, gradients


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Result]]:
    """What two ranks saw, by the way in which their loaders are made."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    store = str(tmp_path_factory.mktemp("ranks") / "store")
    processes = [context.Process(target=_train, args=(r, store, results)) for r in range(2)]
    for process in processes:
        process.start()
    found = dict(results.get() for _ in processes)
    for process in processes:
        process.join()
    return [found[0], found[1]]


@pytest.mark.filterwarnings("ignore")
def test_plain_loaders_give_every_rank_the_same_batches(ranks: list[dict[str, Result]]) -> None:
    (first, gradients), (second, _) = (rank["plain"] for rank in ranks)
    assert first == second
    assert sorted(first) == list(range(SAMPLES))
    alone = [sum(first[i : i + 4]) for i in range(0, SAMPLES, 4)]
    assert gradients == pytest.approx(alone)  # the average over two ranks is what one rank has


@pytest.mark.filterwarnings("ignore")
def test_own_seeds_still_give_every_rank_all_samples(ranks: list[dict[str, Result]]) -> None:
    (first, _), (second, _) = (rank["seeded"] for rank in ranks)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(SAMPLES))


@pytest.mark.filterwarnings("ignore")
def test_samplers_that_know_no_ranks_draw_all_samples(ranks: list[dict[str, Result]]) -> None:
    (first, _), (second, _) = (rank["drawn"] for rank in ranks)
    assert first == second
    assert sorted(first) == list(range(SAMPLES))


@pytest.mark.filterwarnings("ignore")
def test_distributed_samplers_split_the_samples(ranks: list[dict[str, Result]]) -> None:
    (first, _), (second, _) = (rank["split"] for rank in ranks)
    assert len(first) == len(second) == SAMPLES // 2
    assert sorted(first + second) == list(range(SAMPLES))
