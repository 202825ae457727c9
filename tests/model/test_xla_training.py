"""What shows that a loop, or a framework, trains on XLA devices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks.xla_training import keeps_to_full_batches, sign_of, trained_by
from dlint.model.samples.collation import stacks_samples

MakeProgram = Callable[[str], AnalysisContext]

LOOP = """
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

def main(model, opt, data, device):
    loader = DataLoader(data, 8)
    for x in {}:
        model({}).backward()
        {}
"""
TRAINER = """
import lightning as L
from lightning.pytorch.strategies import XLAStrategy
from torch.utils.data import DataLoader

def main(model, data, args):
    L.Trainer({}).fit(model, DataLoader(data, 8))
"""
COLLATE = """
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, default_collate

def collate(samples):
    return {}

for x in DataLoader(data, 8, collate_fn={}):
    pass
"""


def _loader(context: AnalysisContext) -> Loader:
    ((loader,),) = context[Loaders].by_call().values()
    return loader


@pytest.mark.parametrize(
    ("iterable", "batch", "step", "name"),
    [
        ("loader", "x", "opt.step()", None),
        ("loader", "x.to(device)", "opt.step()", None),
        ("loader", "x.cuda()", "opt.step()", None),
        ("pl.MpDeviceLoader(loader, device)", "x", "opt.step()", "MpDeviceLoader"),
        ("loader", "x.to(xm.xla_device())", "opt.step()", "to"),
        ("loader", "x.to(torch_xla.device())", "opt.step()", "to"),
        ("loader", "x.to('xla:1')", "opt.step()", "to"),
        ("loader", "x", "xm.optimizer_step(opt)", "optimizer_step"),
        ("loader", "x", "torch_xla.sync()", "sync"),
    ],
)
def test_a_loop_runs_on_xla(
    context: MakeProgram, iterable: str, batch: str, step: str, name: str | None
) -> None:
    loader = _loader(context(LOOP.format(iterable, batch, step)))
    sign = sign_of(loader, loader.loops[0])
    assert (sign and sign.name) == name


@pytest.mark.parametrize(
    ("arguments", "keeps"),
    [("", False), (", fixed_batch_size=False", False), (", fixed_batch_size=True", True)],
)
def test_a_wrapper_may_stop_before_the_last_batch(
    context: MakeProgram, arguments: str, keeps: bool
) -> None:
    iterable = f"pl.MpDeviceLoader(loader, device{arguments})"
    assert keeps_to_full_batches(_loader(context(LOOP.format(iterable, "x", "pass")))) is keeps


@pytest.mark.parametrize(
    ("arguments", "is_on_xla"),
    [
        ('accelerator="tpu"', True),
        ('strategy="xla_fsdp"', True),
        ("strategy=XLAStrategy()", True),
        ("tpu_cores=8", True),
        ("tpu_cores=[1]", True),
        ("tpu_cores=None", False),
        ("tpu_cores=args.cores", False),
        ('accelerator="gpu"', False),
        ('accelerator="auto"', False),
        ("", False),
    ],
)
def test_a_trainer_is_told_to_use_xla(
    context: MakeProgram, arguments: str, is_on_xla: bool
) -> None:
    assert bool(list(trained_by(_loader(context(TRAINER.format(arguments)))))) is is_on_xla


@pytest.mark.parametrize(
    ("result", "given", "stacks"),
    [
        ("samples", "None", True),
        ("samples", "default_collate", True),
        ("torch.stack(samples)", "collate", True),
        ("torch.stack(samples), pad_sequence(samples)", "collate", False),
        ("samples", "collate", False),
        ("samples", "other", False),
    ],
)
def test_samples_are_stacked(context: MakeProgram, result: str, given: str, stacks: bool) -> None:
    assert stacks_samples(_loader(context(COLLATE.format(result, given)))) is stacks
