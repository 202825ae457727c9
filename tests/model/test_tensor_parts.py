"""Which parts of a batch are tensors, and which of them are kept as they came from a worker."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_retention import retentions
from dlint.model.samples.tensor_parts import is_tensor_part
from tests.analyses.control.programs import MakeProgram

_LOADER = """
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10, CelebA, ImageFolder, LSUN

def main(options, rank):
    for x, y in DataLoader({data}, num_workers=2):
        print(y)
"""


@pytest.mark.parametrize(
    ("data", "key", "expected"),
    [
        ("ImageFolder('a')", 1, True),
        ("CIFAR10('a', target_transform=None)", 1, True),
        ("ImageFolder('a')", 0, False),
        ("CIFAR10('a', target_transform=rank)", 1, False),
        ("CIFAR10('a', **options)", 1, False),
        ("CelebA('a')", 1, False),
        ("LSUN('a')", 1, False),
    ],
)
def test_labels_of_a_library(context: MakeProgram, data: str, key: int, expected: bool) -> None:
    groups = context(_LOADER.format(data=data))[Loaders].by_call().values()
    (loader,) = [loader for group in groups for loader in group]
    assert is_tensor_part(loader, key) is expected


_KEPT = """
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

class Kept:
    def __init__(self):
        self.parts = {{}}

    def add(self, label):
        {append}

def main():
    kept, parts = Kept(), {{}}
    for x, y in DataLoader(ImageFolder("a"), num_workers=2):
        {inside}
"""


@pytest.mark.parametrize(
    ("append", "inside", "found"),
    [
        ("self.parts.setdefault('y', []).append(label)", "kept.add(y)", 1),
        ("self.parts.setdefault('y', []).append(label.clone())", "kept.add(y)", 0),
        ("self.parts.setdefault('y', {}).append(label)", "kept.add(y)", 0),
        ("self.parts = {}; self.parts.setdefault('y', []).append(label)", "kept.add(y)", 0),
        ("pass", "parts.setdefault('y', []).append(y)", 1),
        ("pass", "parts = {}; parts.setdefault('y', []).append(y)", 0),
        ("pass", "parts.setdefault('y', []).append(y); parts.clear()", 0),
    ],
)
def test_lists_that_a_table_makes(
    context: MakeProgram, append: str, inside: str, found: int
) -> None:
    analysed = context(_KEPT.format(append=append, inside=inside))
    assert len(list(retentions(analysed))) == found
