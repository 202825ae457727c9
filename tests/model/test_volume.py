from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.ranges import Range
from dlint.model.loading.loaders import Loaders
from dlint.model.worth.volume import LoaderVolume, volume_of

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import argparse
import torch
from tqdm import tqdm, trange
from torch.utils.data import (
    DataLoader, DistributedSampler, RandomSampler, SequentialSampler, SubsetRandomSampler,
    TensorDataset, WeightedRandomSampler,
)
from torchvision import transforms
from torchvision.datasets import CIFAR10, ImageFolder
DATA = CIFAR10(".", transform=transforms.ToTensor())
"""


def _volume(context: MakeProgram, text: str) -> LoaderVolume:
    groups = context(HEAD + text)[Loaders].by_call().values()
    return volume_of(next(iter(groups))[0])


def _number(number: Range | None) -> object:
    if number is None:
        return None
    return int(number.low) if number.is_exact else (int(number.low), int(number.high))


def _told(volume: LoaderVolume) -> tuple[object, ...]:
    return volume.tensors, _number(volume.batch_bytes), _number(volume.batches)


SAMPLE = 3 * 32 * 32 * 4 + 8


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("DataLoader(DATA, 100)", (2, 100 * SAMPLE, 500)),
        ("DataLoader(DATA)", (2, SAMPLE, 50_000)),
        ("DataLoader(DATA, batch_size=64)", (2, 64 * SAMPLE, 782)),
        ("DataLoader(DATA, batch_size=64, drop_last=True)", (2, 64 * SAMPLE, 781)),
        ("DataLoader(DATA, batch_size=64, drop_last=unknown)", (2, 64 * SAMPLE, (781, 782))),
        (
            "DataLoader(DATA, batch_size=32 if unknown else 64)",
            (2, (32 * SAMPLE, 64 * SAMPLE), (782, 1563)),
        ),
        ("DataLoader(DATA, batch_size=unknown)", (2, None, None)),
        ("DataLoader(DATA, batch_size=None)", (2, None, None)),
        ("DataLoader(DATA, 10, collate_fn=unknown)", (None, None, 5_000)),
        ("DataLoader(DATA, batch_sampler=unknown)", (2, None, None)),
        ("DataLoader(DATA, 10, sampler=unknown)", (2, 10 * SAMPLE, None)),
        ("DataLoader(DATA, 10, sampler=DistributedSampler(DATA))", (2, 10 * SAMPLE, None)),
        ("DataLoader(DATA, 10, sampler=SequentialSampler(DATA))", (2, 10 * SAMPLE, 5_000)),
        (
            "DataLoader(DATA, 10, sampler=RandomSampler(DATA, num_samples=200))",
            (2, 10 * SAMPLE, 20),
        ),
        ("DataLoader(DATA, 10, sampler=RandomSampler(DATA))", (2, 10 * SAMPLE, 5_000)),
        ("DataLoader(DATA, 10, sampler=SubsetRandomSampler(range(50)))", (2, 10 * SAMPLE, 5)),
        ("DataLoader(DATA, 10, sampler=WeightedRandomSampler(unknown, 70))", (2, 10 * SAMPLE, 7)),
        ("DataLoader(ImageFolder('.'), 10)", (None, None, None)),
        ("DataLoader(TensorDataset(torch.zeros(90, 5)), 10)", (1, 200, 9)),
        ("DataLoader(unknown, 10)", (None, None, None)),
    ],
)
def test_batches(context: MakeProgram, call: str, expected: tuple[object, ...]) -> None:
    assert _told(_volume(context, f"loader = {call}")) == expected


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for epoch in range(90):", 90),
        ("for epoch in range(1, 91):", 90),
        ("for epoch in tqdm(range(90)):", 90),
        ("for epoch in trange(90):", 90),
        ("for epoch in (1, 2, 3):", 3),
        ("for epoch in range(args.epochs):", 20),
        ("for epoch in range(unknown):", None),
        ("while unknown:", None),
        ("if unknown:", None),
    ],
)
def test_epochs(context: MakeProgram, loop: str, expected: object) -> None:
    volume = _volume(
        context,
        f"""
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
args = parser.parse_args()
loader = DataLoader(DATA, 10)
{loop}
    for x, y in loader:
        model(x).backward()
""",
    )
    assert _number(volume.epochs) == expected


def test_what_holds_by_default_is_named(context: MakeProgram) -> None:
    volume = _volume(
        context,
        """
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()
loader = DataLoader(DATA, args.batch_size)
""",
    )
    assert volume.batch_bytes is not None
    assert volume.batch_bytes.assumed
    assert volume.batches is not None
    assert volume.batches.assumed == volume.batch_bytes.assumed


def test_loaders_that_a_factory_makes_are_told_apart(context: MakeProgram) -> None:
    groups = context(
        HEAD
        + """
def make(data, size):
    return DataLoader(data, size)
small = make(TensorDataset(torch.zeros(100, 2)), 10)
large = make(DATA, 50)
for x in small:
    pass
for x, y in large:
    pass
"""
    )[Loaders].by_call()
    told = {_told(volume_of(x)) for group in groups.values() for x in group if x.has_context}
    assert told == {(1, 80, 10), (2, 50 * SAMPLE, 1_000)}


def test_each_loader_has_one_volume(context: MakeProgram) -> None:
    text = "first, second = DataLoader(DATA), DataLoader(DATA)\n"
    first, second = (x[0] for x in context(HEAD + text)[Loaders].by_call().values())
    assert volume_of(first) is volume_of(first)
    assert volume_of(first) is not volume_of(second)
