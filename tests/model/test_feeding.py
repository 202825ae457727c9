"""Whether a loader's samples have the parts that a loop takes."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from tests.analyses.control.programs import MakeProgram

PROGRAM = """
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm


class Pairs(Dataset):
    def __init__(self, paths, named):
        self.paths, self.named = paths, named

    def __getitem__(self, index):
        image, label = read(self.paths[index]), index
{sample}


def train(paths, model):
    loader = DataLoader(Pairs(paths, False), batch_size=64{more})
{loop}
"""
TWO = "        return image, label"
EITHER = (
    "        if self.named:\n            return image, label, 'name'\n        return image, label"
)
GROWN = "        found = [image, label]\n        found.append(1)\n        return found"


@pytest.mark.parametrize(
    ("sample", "loop"),
    [
        (TWO, "for a, b, c in loader:\n        model(a)"),
        (TWO, "for i, (a, b, c) in enumerate(loader):\n        model(a)"),
        (TWO, "for _, (a, b, c) in tqdm(enumerate(loader)):\n        model(a)"),
        (TWO, "for batch in loader:\n        model(batch['image'])"),
        (TWO, "for i, batch in enumerate(tqdm(loader)):\n        model(batch['image'])"),
        (EITHER, "for a, b, c, d in loader:\n        model(a)"),
        (TWO, "for batch in loader:\n        a, b, c = batch"),
        (TWO, "for i, batch in enumerate(loader):\n        print(i)\n        a, b, c, *d = batch"),
        ("        return {'image': image}, label", "for a, b, c in loader:\n        model(a)"),
    ],
)
def test_samples_of_other_parts(context: MakeProgram, sample: str, loop: str) -> None:
    assert not _is_fed(context, sample, loop)


@pytest.mark.parametrize(
    ("sample", "loop"),
    [
        (TWO, "for a, b in loader:\n        model(a)"),
        (TWO, "for i, (a, b) in enumerate(loader):\n        model(a)"),
        (TWO, "for i, batch in enumerate(loader):\n        model(batch[0])"),
        (TWO, "for a, *rest in loader:\n        model(a)"),
        (TWO, "for batch in loader:\n        a, *rest = batch"),
        (TWO, "for batch in loader:\n        a, b = batch"),
        (TWO, "for batch in loader:\n        if paths:\n            a, b, c = batch"),
        (TWO, "for batch in loader:\n        if paths: continue\n        a, b, c = batch"),
        (TWO, "for batch in loader:\n        batch = model(batch)\n        a, b, c = batch"),
        (TWO, "for i, batch in enumerate(loader):\n        a, b, c = model(batch)"),
        (TWO, "for a, model.b in loader:\n        model(a)"),
        (TWO, "for a, b, c in zip(loader, loader, loader):\n        model(a)"),
        (TWO, "for a, b, c in prefetched(loader):\n        model(a)"),
        (EITHER, "for a, b, c in loader:\n        model(a)"),
        (GROWN, "for a, b, c in loader:\n        model(a)"),
        ("        return {'image': image}", "for batch in loader:\n        model(batch['image'])"),
        ("        return pair(image)", "for a, b, c in loader:\n        model(a)"),
    ],
)
def test_samples_that_may_fit(context: MakeProgram, sample: str, loop: str) -> None:
    if "zip" in loop or "prefetched" in loop:
        assert _is_fed(context, sample, loop.replace("prefetched(loader)", "zip(loader, a, b)"))
    else:
        assert _is_fed(context, sample, loop)


def test_a_collate_function_gives_others(context: MakeProgram) -> None:
    loop = "for a, b, c in loader:\n        model(a)"
    assert _is_fed(context, TWO, loop, ", collate_fn=lambda batch: (batch, 1, 2)")


def _is_fed(context: MakeProgram, sample: str, loop: str, more: str = "") -> bool:
    text = PROGRAM.format(sample=sample, loop="    " + loop, more=more)
    groups = context(text)[Loaders].by_call().values()
    return any(loader.loops for group in groups for loader in group)


LIBRARY = """
from torch.utils.data import ConcatDataset, DataLoader, Subset, random_split
from torchvision.datasets import CelebA, CIFAR10, ImageFolder


def train(paths, model, other):
    loader = DataLoader({dataset}, batch_size=64)
    for {target} in {given}:
        model(a)
"""


@pytest.mark.parametrize(
    ("dataset", "target", "given", "expected"),
    [
        ("ImageFolder(paths)", "a, b, c", "loader", False),
        ("CIFAR10(paths)", "i, (a, b, c)", "enumerate(loader)", False),
        ("Subset(ImageFolder(paths), [1, 2])", "a, b, c", "loader", False),
        ("random_split(CIFAR10(paths), [0.5, 0.5])[0]", "a, b, c", "loader", False),
        ("ConcatDataset([CIFAR10(paths), ImageFolder(paths)])", "a, b, c", "loader", False),
        ("ImageFolder(paths)", "a, b", "loader", True),
        ("Subset(ImageFolder(paths), [1, 2])", "a, b", "loader", True),
        ("Subset(other, [1, 2])", "a, b, c", "loader", True),
        ("ConcatDataset([CIFAR10(paths), other])", "a, b, c", "loader", True),
        ("ImageFolder(paths)", "a, b, c", "zip(loader, loader, other)", True),
        ("CelebA(paths)", "a, b, c", "loader", True),
        ("other", "a, b, c", "loader", True),
        ("ImageFolder(paths) if paths else other", "a, b, c", "loader", True),
        ("ImageFolder(paths)", "a, b, c", "(loader if other else [1])", False),
    ],
)
def test_samples_of_a_library(
    context: MakeProgram, dataset: str, target: str, given: str, expected: bool
) -> None:
    made = context(LIBRARY.format(dataset=dataset, target=target, given=given))
    groups = made[Loaders].by_call().values()
    assert any(loader.loops for group in groups for loader in group) is expected
