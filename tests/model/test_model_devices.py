"""On which devices a program may put its models."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.devices import Device
from tests.analyses.control.programs import MakeProgram
from tests.semantics.asked import project_of

MODEL = """
from torch import nn


class Net(nn.Module):
    def train_step(self, x):
        return self(x.to({device}))
"""

SCRIPT = """
import torch
from torch import nn
from torch.utils.data import DataLoader
from model import Net

model = Net()
{moved}
for x in DataLoader(data):
    model.train_step(x).backward()
"""


def _devices(context: MakeProgram, device: str, moved: str) -> set[Device]:
    files = {"model.py": MODEL.format(device=device), "train.py": SCRIPT.format(moved=moved)}
    return {kind for copy in context(files)[Loaders].transfers for kind in copy.devices}


@pytest.mark.parametrize(
    "device",
    [
        "next(self.parameters()).device",
        "list(self.parameters())[0].device",
        "next(iter(self.buffers())).device",
    ],
)
@pytest.mark.parametrize(
    "moved",
    [
        "model.cuda()",
        "model = model.to('cuda:0')",
        "wrapped = nn.DataParallel(model).cuda()",
        "device = torch.device('cuda')\nmodel.to(device=device)",
    ],
)
def test_the_device_to_which_a_model_was_moved(
    context: MakeProgram, device: str, moved: str
) -> None:
    assert _devices(context, device, moved) == {Device.CUDA}


def test_a_device_that_is_chosen(context: MakeProgram) -> None:
    moved = "model.to('cuda' if torch.cuda.is_available() else 'cpu')"
    found = _devices(context, "next(self.parameters()).device", moved)
    assert found == {Device.CUDA, Device.CPU}


@pytest.mark.parametrize("moved", ["", "model.to(torch.float16)", "other = nn.Linear(2, 2).cuda()"])
def test_nobody_says_where_a_model_is(context: MakeProgram, moved: str) -> None:
    assert _devices(context, "next(self.parameters()).device", moved) == {Device.OTHER}


def test_another_object_is_no_model(context: MakeProgram) -> None:
    assert _devices(context, "self.out.device", "model.cuda()") == {Device.OTHER}


@pytest.mark.parametrize(
    ("read", "kinds"),
    [("torch.device(cfg.device)", {Device.CUDA}), ("cfg.other", {Device.OTHER})],
)
def test_a_device_that_a_settings_file_names(tmp_path: Path, read: str, kinds: set[Device]) -> None:
    files = {
        "conf/config.yaml": "device: cuda\nother: cpu\n",
        "train.py": f"""
        import hydra
        import torch
        from torch.utils.data import DataLoader

        @hydra.main(config_path="conf", config_name="config")
        def main(cfg):
            for x in DataLoader(data):
                x.to({read})
        """,
    }
    context = AnalysisContext(project_of(files, tmp_path), [str(tmp_path / "train.py")])
    assert {kind for copy in context[Loaders].transfers for kind in copy.devices} == kinds
