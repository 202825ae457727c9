"""What is handed in to a function beside a loader is told as where it stands in its caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epochs import repeating_loops
from dlint.model.samples.samples import yields_cuda

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
from torch.utils.data import DataLoader

"""


HELD = """
class Fit:
    def __init__(self, data):
        self.loader = DataLoader(data)

    def epoch(self, others):
        for x in self.loader:
            print(x)

def turn(fit, others):
    fit.epoch(others)

def train(data, other, fit, others):
    for epoch in range(3):
        {call}

def main(data, other):
    train(data, other, Fit(data), DataLoader(other))
"""


@pytest.mark.parametrize(
    ("call", "found"), [("fit.epoch(others)", 1), ("turn(fit, others)", 1), ("print(others)", 0)]
)
def test_a_loader_that_an_object_holds_beside_one_that_is_handed_in(
    context: MakeContext, call: str, found: int
) -> None:
    by_call = context(HEAD + HELD.format(call=call))[Loaders].by_call()
    (loader,) = next(iter(by_call.values()))
    assert len([*repeating_loops(loader)]) == found


FEATURES = """
import torch
from torch.utils.data import TensorDataset

def arrays_of(net, x):
    return net(x.cuda()).cpu().numpy()

def train(features, net):
    for (x,) in DataLoader(TensorDataset(features)):
        net(x.cuda()).backward()

def main(net, x):
    net = net.to("cuda")
    train({first}, net)
    train({second}, net)
"""
HOST = "torch.from_numpy(arrays_of(net, x)).float()"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [(HOST, "None", False), (f"{HOST}.cuda()", "None", True), ("net(x.cuda())", HOST, True)],
)
def test_features_that_are_handed_in(
    context: MakeContext, first: str, second: str, found: bool
) -> None:
    text = FEATURES.format(first=first, second=second).replace("    train(None, net)\n", "")
    (made,) = context(HEAD + text)[Loaders].by_call().values()
    assert any(map(yields_cuda, made)) is found
