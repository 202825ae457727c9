"""Loops over generators that hand batches on under another form."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_only_evaluated
from dlint.model.loops.batch_loops import batch_loops
from tests.analyses.control.programs import MakeProgram

PROGRAM = """
import torch
from torch.utils.data import DataLoader


class OnDevice:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __next__(self):
        return self.next()

    def __iter__(self):
        for batch in iter(self.loader):
            x, y = batch
            {handed}


def moved(loader):
    for i, x in enumerate(loader):
        yield x.cuda()


def outputs(first, model):
    for x in {given}:
        print(model(x))


def main(data, model):
    loader = DataLoader(data, batch_size=8)
    with torch.no_grad():
        outputs(loader, model)
"""

YIELDED = "yield x.view(8, -1).to(self.device), y.to(self.device)"


@pytest.mark.parametrize(
    ("handed", "given", "loops"),
    [
        (YIELDED, "OnDevice(first, 'cuda')", {"__iter__", "outputs"}),
        ("yield [t.to(self.device) for t in batch]", "OnDevice(first, 0)", {"__iter__", "outputs"}),
        (YIELDED, "moved(first)", {"moved", "outputs"}),
        (YIELDED, "enumerate(moved(first))", {"moved", "outputs"}),
        (YIELDED, "moved(OnDevice(first, 'cuda'))", {"moved", "__iter__", "outputs"}),
        (YIELDED, "map(torch.Tensor.cuda, first)", {"outputs"}),
        (YIELDED, "map(print, moved(first))", {"moved", "outputs"}),
        (YIELDED, "map(max, first, [1, 2])", set()),
        ("yield 1", "OnDevice(first, 'cuda')", {"__iter__"}),
        ("for part in x: yield part.to(self.device)", "OnDevice(first, 0)", {"__iter__"}),
    ],
)
def test_a_loop_over_a_generator_goes_through_the_loader(
    context: MakeProgram, handed: str, given: str, loops: set[str]
) -> None:
    analysed = context(PROGRAM.format(handed=handed, given=given))
    found = {loop.scope.name for loop in analysed[batch_loops]}
    assert found - {"moved"} == loops - {"moved"}
    assert found >= loops


@pytest.mark.parametrize(("manager", "evaluates"), [("torch.no_grad()", True), ("data", False)])
def test_a_generator_is_for_what_the_loop_over_it_is_for(
    context: MakeProgram, manager: str, evaluates: bool
) -> None:
    text = PROGRAM.format(handed=YIELDED, given="OnDevice(first, 0)")
    groups = context(text.replace("torch.no_grad()", manager))[Loaders].by_call()
    assert [is_only_evaluated(x) for group in groups.values() for x in group] == [evaluates]
