"""Which loader a finding about a copy points at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.checks import missing_non_blocking
from dlint.domain.program import Program

MakeProgram = Callable[[str | Mapping[str, str]], Program]

FACTORY = """
from torch.utils.data import DataLoader

def make(dataset, split, sampler=None):
    if sampler is not None and split in ["train"]:
        loader = DataLoader(dataset, batch_sampler=sampler, pin_memory=True)
    else:
        loader = DataLoader(dataset, 8, pin_memory=True)
    return loader

def evaluate(model, dataset):
    for images in make(dataset, "val"):
        model(images.cuda())
"""


def test_the_pinned_loader_is_one_that_the_call_makes(program: MakeProgram) -> None:
    found = list(missing_non_blocking.check(program(FACTORY)))
    assert [FACTORY[r.place.start :].split(")")[0] for f in found for r in f.related] == [
        "DataLoader(dataset, 8, pin_memory=True"
    ]
