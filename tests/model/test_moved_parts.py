"""Which copies of a batch are its first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch import nn
from torch.utils.data import DataLoader

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, batch):
        x = batch["x"]
        return self.layer(x.to(self.device))

def train(dataset):
    net = Net().cuda()
    for batch in DataLoader(dataset):
        {moving}
        net(batch).sum().backward()
"""
EACH = """for key, value in batch.items():
            batch[key] = value.cuda()"""
TENSORS = """for key in batch:
            batch[key] = batch[key].cuda() if key else batch[key]"""


@pytest.mark.parametrize(
    ("moving", "copying"),
    [
        ("pass", {"forward"}),
        (EACH, {"train"}),
        (TENSORS, {"train"}),
        ('batch["x"] = batch["x"].cuda()', {"train"}),
        ('batch["y"] = batch["y"].cuda()', {"train", "forward"}),
        ('kept["x"] = batch["x"].cuda()', {"train", "forward"}),
        ("batch.x = batch.x.cuda()", {"train"}),
        ("batch.cuda()", {"train"}),
        ("batch = batch.cuda()", {"train"}),
        ("print(batch.cuda())", {"train", "forward"}),
    ],
)
def test_first_copies(context: MakeContext, moving: str, copying: set[str]) -> None:
    analysed = context(TEXT.format(moving=moving))
    assert {copy.call.scope.name for copy in analysed[Loaders].transfers} == copying


def test_a_loop_copies_for_itself(context: MakeContext) -> None:
    analysed = context("""
from torch.utils.data import DataLoader

def move(batch):
    batch["x"] = batch["x"].cuda()

def run(dataset, model):
    loader = DataLoader(dataset)
    train(loader, model)
    test(loader, model)

def train(loader, model):
    for batch in loader:
        move(batch)
        model(batch)

def test(loader, model):
    for batch in loader:
        model(batch["x"].cuda())
""")
    copying = [copy.call.scope.name for copy in analysed[Loaders].transfers]
    assert copying == ["move", "test"]
