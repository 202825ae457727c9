"""Where parts of a batch are taken for tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.tensor_uses import tensor_uses

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
HEAD = """\
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import AutoModel

criterion = torch.nn.CrossEntropyLoss()
model = AutoModel.from_pretrained("x")

def main(data, other):
    for batch in DataLoader(data):
"""


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ("batch['y'].to('cuda')", {"y"}),
        ("x, y = batch\nother(x, y.float())", {1}),
        ("x, y = batch\nF.mse_loss(other(x), y)", {1}),
        ("criterion(other(batch['x']), batch['y'])", {"y"}),
        ("model(batch['x'], mask=batch['m'])", {"x", "m"}),
        ("other(batch['x'])", set()),
        ("other(batch['x'].append(1))", set()),
        ("F.interpolate(other(1), batch['size'])", set()),
        ("torch.stack(batch['x'])", set()),
    ],
)
def test_keys(context: MakeProgram, body: str, keys: set[object]) -> None:
    analysed = context(HEAD + indent(body, " " * 8) + "\n")
    (loader,) = [one for group in analysed[Loaders].by_call().values() for one in group]
    found = {use.key(analysed) for use in tensor_uses(loader)}
    assert found - {None} == keys
