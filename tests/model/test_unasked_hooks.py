"""Loaders that Lightning never asks for: the model has no step for them."""

from __future__ import annotations

import pytest

from dlint.model.loading.frameworks import Consumption
from tests.analyses.control.programs import MakeProgram

DATA = """
import lightning as L
from torch.utils.data import DataLoader

class Data(L.LightningDataModule):
    def train_dataloader(self): return DataLoader(self.train_set, batch_size=1)
    def val_dataloader(self): return DataLoader(self.val_set, batch_size=2)
    def test_dataloader(self): return DataLoader(self.test_set, batch_size=3)
class Model(L.LightningModule):
    def training_step(self, batch, index): ...
    {step}
{more}
def run(extra):
    {run}
"""
FIT = "L.Trainer(max_epochs=9).fit(Model(), Data())"
NAMED = "trainer = L.Trainer()\n    trainer.fit(Model(), datamodule=Data())"
VALIDATES = "def validation_step(self, batch, index): ..."
OWN = """
import pytorch_lightning as pl
from torch.utils.data import DataLoader

class Model(pl.LightningModule):
    def training_step(self, batch, index): ...
    def train_dataloader(self): return DataLoader(self.train_set, batch_size=1)
    def val_dataloader(self): return DataLoader(self.val_set, batch_size=2)
"""
ASKED = {
    "no step": (FIT, "", "", {1}),
    "given by name": (NAMED, "", "", {1}),
    "one step": (FIT, VALIDATES, "", {1, 2}),
    "a step of a subclass": (FIT, "", f"class More(Model):\n    {VALIDATES}\n", {1, 2}),
    "a step by a name": (FIT, "validation_step = training_step", "", {1, 2}),
    "another model": (
        f"{FIT}\n    L.Trainer().fit(Other(), Data())",
        "",
        f"class Other(L.LightningModule):\n    def training_step(self): ...\n    {VALIDATES}\n",
        {1, 2},
    ),
    "a model that is not known": (f"{FIT}\n    L.Trainer().fit(extra, Data())", "", "", {1, 2, 3}),
    "data that are not known": (f"{FIT}\n    L.Trainer().fit(extra, extra)", "", "", {1, 2, 3}),
    "a base that is not known": (FIT, "", "from own import B\nclass A(B, Model): ...\n", {1, 2, 3}),
    "a step that is written": (f"{FIT}\n    Model.validation_step = extra", "", "", {1, 2}),
    "nobody runs it": ("pass", "", "", {1, 2, 3}),
    "another library fits": (
        f"{FIT}\n    import sklearn\n    sklearn.svm.SVC().fit(extra, extra)",
        "",
        "",
        {1},
    ),
    "a command line": (
        f"{FIT}\n    from lightning.pytorch.cli import LightningCLI",
        "",
        "",
        {1, 2, 3},
    ),
}


def _asked(made: MakeProgram, text: str) -> set[int]:
    context = made(text)
    loaders = context[Consumption].loaders
    sizes = (a.value for one in loaders for a in one.call.arguments if a.keyword == "batch_size")
    return {size.value for size in sizes if hasattr(size, "value")}


@pytest.mark.parametrize(("run", "step", "more", "expected"), ASKED.values(), ids=ASKED)
def test_loaders_of_a_data_module(
    context: MakeProgram, run: str, step: str, more: str, expected: set[int]
) -> None:
    text = DATA.format(run=run, step=step or "pass", more=more)
    assert _asked(context, text) == expected


def test_a_model_that_does_not_train_is_not_whole(context: MakeProgram) -> None:
    text = OWN.replace("def training_step", "def a_step")
    assert _asked(context, text) == {1, 2}


def test_loaders_of_a_model(context: MakeProgram) -> None:
    assert _asked(context, OWN) == {1}
    assert _asked(context, f"{OWN}    {VALIDATES}\n") == {1, 2}
