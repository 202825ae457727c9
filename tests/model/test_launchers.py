"""Which Trainers and Fabrics start several ranks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks.launchers import Launcher, Launchers

MakeProgram = Callable[[str], AnalysisContext]

TRAINER = """
import lightning as L
from lightning.pytorch.strategies import DDPStrategy, SingleDeviceStrategy
from torch.utils.data import DataLoader

def main(model, dataset, args):
    L.Trainer({}).fit(model, DataLoader(dataset))
"""


def _launchers(context: AnalysisContext) -> list[Launcher]:
    loaders = [one for group in context[Loaders].by_call().values() for one in group]
    return [launcher for loader in loaders for launcher in context[Launchers].of(loader)]


@pytest.mark.parametrize(
    ("arguments", "is_distributed"),
    [
        ('strategy="ddp"', True),
        ('strategy="ddp", devices=4', True),
        ('strategy="ddp", devices=args.devices', True),
        ('strategy="ddp", devices=1', False),
        ('strategy="ddp", devices=1, num_nodes=2', True),
        ('strategy="ddp", devices=[3]', False),
        ("strategy=DDPStrategy(find_unused_parameters=True)", True),
        ("strategy=SingleDeviceStrategy(), devices=2", False),
        ('strategy="fsdp", devices="auto"', True),
        ('strategy="auto", devices=2', True),
        ('accelerator="gpu", devices=[0, 1]', True),
        ('accelerator="gpu", devices="0,1"', True),
        ("devices=-1", False),
        ('devices="auto"', False),
        ("", False),
        ("strategy=args.strategy, devices=2", False),
        ('accelerator="dp", gpus=2', False),
        ('accelerator="ddp", gpus=2', True),
        ('**{"strategy": "ddp", "devices": 2}', True),
        ("**args", False),
    ],
)
def test_it_is_distributed_by_its_arguments(
    context: MakeProgram, arguments: str, is_distributed: bool
) -> None:
    (launcher,) = _launchers(context(TRAINER.replace("{}", arguments)))
    assert launcher.is_distributed is is_distributed


@pytest.mark.parametrize(
    ("arguments", "switch"),
    [
        ("use_distributed_sampler=False", "use_distributed_sampler"),
        ("replace_sampler_ddp=False", "replace_sampler_ddp"),
        ("use_distributed_sampler=True", None),
        ("use_distributed_sampler=args.own", None),
        ("", None),
    ],
)
def test_it_is_told_to_add_no_sampler(
    context: MakeProgram, arguments: str, switch: str | None
) -> None:
    (launcher,) = _launchers(context(TRAINER.replace("{}", arguments)))
    assert launcher.switch == switch


def test_a_hook_of_what_is_fitted_gives_it_a_loader(context: MakeProgram) -> None:
    program = """
import lightning as L
from torch.utils.data import DataLoader

class Base(L.LightningDataModule):
    def train_dataloader(self):
        return {"a": DataLoader(self.data)}

class Data(Base):
    pass

class Other(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(self.data)

trainer = L.Trainer(devices=2)
trainer.fit(L.LightningModule(), datamodule=Data())
"""
    (launcher,) = _launchers(context(program))
    assert launcher.is_distributed
