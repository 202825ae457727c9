"""What Lightning's `self.hparams` holds."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

DATA = """
import pytorch_lightning as pl
class Data(pl.LightningDataModule):
    def __init__(self, root, workers=4, *, size=8):
        super().__init__()
        {saving}
    def train_dataloader(self):
        reveal({asked})
Data("here", size=16)
"""
CASES = {
    "a default": ("self.save_hyperparameters()", "self.hparams.workers", {"~4"}),
    "what a call gives": ("self.save_hyperparameters()", "self.hparams.size", {"16"}),
    "as an item": ("self.save_hyperparameters()", "self.hparams['size']", {"16"}),
    "by name": ("self.save_hyperparameters('size')", "self.hparams.size", {"16"}),
    "not among the names": ("self.save_hyperparameters('size')", "self.hparams.workers", {"?"}),
    "left out": ("self.save_hyperparameters(ignore=['size'])", "self.hparams.size", {"?"}),
    "no such parameter": ("self.save_hyperparameters()", "self.hparams.other", {"?"}),
    "nothing is kept": ("pass", "self.hparams.size", {"?"}),
    "written later": (
        "self.save_hyperparameters()\n        self.hparams.size = 2",
        "self.hparams.size",
        {"?"},
    ),
}


@pytest.mark.parametrize(("saving", "asked", "expected"), CASES.values(), ids=CASES)
def test_arguments_of_the_constructor(saving: str, asked: str, expected: set[str]) -> None:
    assert evaluated(DATA.format(saving=saving, asked=asked)) == [expected]


def test_an_object_of_hyperparameters_is_kept_whole() -> None:
    text = """
        import argparse
        import lightning as L
        class Net(L.LightningModule):
            def __init__(self, args):
                super().__init__()
                self.save_hyperparameters(args)
            def train_dataloader(self):
                reveal(self.hparams.workers)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=2)
        Net(parser.parse_args())
    """
    assert evaluated(text) == [{"~2"}]
    assert denoted(text) == [{"2"}]


def test_a_class_of_another_library_keeps_nothing() -> None:
    text = """
        from torch import nn
        class Net(nn.Module):
            def __init__(self, size=2):
                self.save_hyperparameters()
            def forward(self):
                reveal(self.hparams.size)
        Net()
    """
    assert evaluated(text) == [{"?"}]
