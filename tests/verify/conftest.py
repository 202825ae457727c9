"""Programs that are run under the probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from dlint.verify.program import Program
from dlint.verify.runner import Run, Runner, Setting, Variant

Launch = Callable[..., Run]

USUAL = Setting(warmup=4, steps=20, limit=60)

COMMON = """
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, n=320, delay=0.0):
        self.n, self.delay = n, delay

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        time.sleep(self.delay)
        return torch.full((4,), float(index)), index % 3


def make():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    return model, torch.optim.SGD(model.parameters(), lr=0.01)


def step(model, optimizer, x, y):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write programs below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """Runs `main.py` of some files, of which some are edited."""

    def launch(
        files: Mapping[str, str],
        *arguments: str,
        edited: Mapping[str, str] | None = None,
        setting: Setting = USUAL,
        module: str | None = None,
        launcher: str | None = None,
        startup_limit: float = 60,
    ) -> Run:
        write(tmp_path, {"common.py": COMMON, **files})
        texts = {
            str((tmp_path / name).resolve()): dedent(text).encode()
            for name, text in (edited or {}).items()
        }
        program = Program(tmp_path / "main.py", module, arguments, launcher, given="main.py")
        with Runner(program, tmp_path, cwd=tmp_path, startup_limit=startup_limit) as runner:
            return runner.run(Variant("x", texts), setting)

    return launch
