"""Whether an evaluation stacks what it collects of each batch."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.loops.stacked_outputs import are_outputs_stacked
from tests.analyses.control.programs import MakeProgram

PROGRAM = """
import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader

def f(data, model):
    outputs, others = [], []
    for images in DataLoader(data):
        outputs.append(model(images))
    {0}
    return outputs
"""
HOOKED = """
import lightning as L
import torch
from torch.utils.data import DataLoader

class Made(L.Lightning{0}):
    def val_dataloader(self):
        return DataLoader(self.data)
    def {1}(self, batch): ...

class Model(L.LightningModule):
    def validation_epoch_end(self, outputs):
        self.given = {2}
"""
STACKED = {
    "a list": "torch.stack(outputs)",
    "a part of each": 'torch.stack([out["y"] for out in outputs]).view(-1)',
    "arrays": "np.stack([out.numpy() for out in outputs])",
    "by another name": "given = outputs; torch.stack(given).flatten()",
    "an average over batches": "torch.stack(outputs).mean(0)",
}
NOT_STACKED = {
    "numbers": "torch.stack(outputs).mean()",
    "numbers, named": "losses = torch.stack(outputs); print(losses.sum())",
    "numbers, by a function": "torch.mean(torch.stack(outputs))",
    "joined": "torch.cat(outputs)",
    "another list": "torch.stack(others)",
}


@pytest.mark.parametrize("text", STACKED.values(), ids=STACKED)
def test_what_takes_full_batches(text: str, context: MakeProgram) -> None:
    assert _stacked(context, PROGRAM.format(text))


@pytest.mark.parametrize("text", NOT_STACKED.values(), ids=NOT_STACKED)
def test_what_takes_any_batch(text: str, context: MakeProgram) -> None:
    assert not _stacked(context, PROGRAM.format(text))


@pytest.mark.parametrize(
    ("base", "method", "given", "stacked"),
    [
        ("DataModule", "setup", "torch.stack(outputs).view(-1)", True),
        ("DataModule", "setup", "torch.stack(outputs).mean()", False),
        ("Module", "training_step", "torch.stack(outputs).view(-1)", False),  # of another model
    ],
)
def test_of_hooks(base: str, method: str, given: str, stacked: bool, context: MakeProgram) -> None:
    assert _stacked(context, HOOKED.format(base, method, given)) == stacked


def _stacked(context: MakeProgram, text: str) -> bool:
    ((loader,),) = context(text)[Loaders].by_call().values()
    return are_outputs_stacked(loader)
