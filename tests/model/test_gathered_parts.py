"""Which part of each sample a collate function gathers, and whether it is an array."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.samples.gathered_parts import gathers_arrays
from tests.analyses.control.programs import MakeProgram, call_of, scope_named

PROGRAM = """
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        image = np.transpose(np.load(self.names[index]), (2, 0, 1))
        return {sample}


def fill(samples, images):
    for x, y in samples:
        images.append(x)


def collate(batch):
    {gathered}
    return np.array(images)


def main(names):
    return DataLoader(Pictures(names), 8, num_workers=4, collate_fn=collate)
"""

LOOP = """images, other = [], []
    for {target} in batch:
        images.append({part})
"""


@pytest.mark.parametrize(
    ("sample", "gathered", "arrays"),
    [
        ("image, index", LOOP.format(target="x, y", part="x"), True),
        ("image, index", LOOP.format(target="sample", part="sample[0]"), True),
        ("image, index", LOOP.format(target="x, y", part="y"), False),
        ("image, index", LOOP.format(target="x, y", part="len(x)"), False),
        ("image, index", "images, other = [], []\n    fill(batch, images)", True),
        ("image, index", "images, other = [], []\n    fill(names, images)", False),
        ("image, index", "images = [x for x, y in batch]", True),
        ("image, index", "images = [y for x, y in batch]", False),
        ("image, index", "images = [x for x in other]", False),
        ("image, index", "images, other = zip(*batch)", True),
        ("image, index", "other, images = zip(*batch)", False),
        ("image, index", "images, other = zip(*other)", False),
        ("{'image': image, 'at': index}", "images = [s['image'] for s in batch]", True),
        ("{'image': image, 'at': index}", "images = [s['at'] for s in batch]", False),
        ("self.read(index)", "images = [x for x, y in batch]", False),
    ],
)
def test_what_is_gathered_is_what_the_data_set_gives(
    context: MakeProgram, sample: str, gathered: str, *, arrays: bool
) -> None:
    analysed = context(PROGRAM.format(sample=sample, gathered=gathered))
    ((loader,),) = analysed[Loaders].by_call().values()
    function = scope_named(analysed, "collate")
    listed = call_of(function, "array").arguments[0].value
    assert gathers_arrays(loader, listed, function) is arrays
