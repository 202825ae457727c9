"""Programs that are run under the probe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant
from tests.warm import PYTHON, Warm

Launch = Callable[..., Run]

USUAL = RunConfig(warmup=4, steps=20, limit=60)

QUICK = """
import sys
import types

# A quarter of what torch imports is for exports and for tensors without data, and the first step of
# an optimizer imports what compiles for a second, only to say that it is not compiled. Who needs
# them imports torch before, or a framework that does.
if "torch" not in sys.modules:
    for name in ("torch._meta_registrations", "torch.export"):
        sys.modules[name] = types.ModuleType(name)

import torch
import torch._prims.rng_prims  # makes generators

if not {"torch._dynamo", "accelerate", "lightning", "torchdata", "transformers"} & {*sys.modules}:
    dynamo = types.ModuleType("torch._dynamo")
    dynamo.disable = lambda function=None, recursive=True, **named: function
    dynamo.graph_break = lambda *given, **named: None
    sys.modules["torch._dynamo"] = torch._dynamo = dynamo
"""
"""The first lines of a program."""

COMMON = (
    QUICK
    + """
import time

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
)


@pytest.fixture(scope="session", autouse=True)
def warm() -> Iterator[Warm]:
    """Programs may be forks of a process that has imported torch. They do so little with it that
    a second thread would only wait, which it does without sleeping."""
    with pytest.MonkeyPatch.context() as patch, Warm().runs() as made:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield made


@pytest.fixture
def all_warm(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that this interpreter runs are such forks."""
    monkeypatch.setattr(warm, "all", True)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write programs below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")


def launched(
    folder: Path,
    files: Mapping[str, str],
    *arguments: str,
    edited: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    at: tuple[str, int] | None = None,
    setting: RunConfig = USUAL,
    module: str | None = None,
    launcher: str | None = None,
    startup_limit: float = 120,
    fresh: bool | None = None,
) -> Run:
    """What comes of a run of `main.py` of some files in a folder, of which some are edited.

    One that imports torch finds it imported, unless it is said whether its interpreter is fresh.
    """
    write(folder, {"common.py": COMMON, **files})
    texts = {
        str((folder / name).resolve()): dedent(text).encode()
        for name, text in (edited or {}).items()
    }
    if fresh is None:
        fresh = launcher is not None or not any("common" in text for text in files.values())
    python = sys.executable if fresh else PYTHON
    script = folder / "main.py"
    program = TargetScript(script, module, arguments, launcher, given="main.py", python=python)
    with Runner(program, folder, cwd=folder, startup_limit=startup_limit) as runner:
        return runner.run(Variant("x", texts, settings or {}, at), setting)


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """Runs programs in a folder of the test."""
    return partial(launched, tmp_path)


class Batch:
    """Programs that are run when they are asked for, and with each the one behind it.

    Two at a time, since each does little but import torch; no more ahead, since tests of one file
    may be shared out between processes, each of which has a batch.
    """

    def __init__(self, base: Path, texts: Mapping[str, str] | None = None, **given: Any) -> None:
        """`texts` are `main.py` of programs that are all run in the same way."""
        self._pool = ThreadPoolExecutor(2)
        self._base = base
        self._programs: dict[str, Callable[[], Run]] = {}
        self._runs: dict[str, Future[Run]] = {}
        for name, text in (texts or {}).items():
            module = "main" if name.endswith("-m") else None
            self.add(name, text, module=module, **given)

    def add(self, name: str, text: str, *arguments: str, **given: Any) -> None:
        """A further program."""
        folder = self._base / f"{len(self._programs)}"
        self._programs[name] = partial(launched, folder, {"main.py": text}, *arguments, **given)

    def of(self, name: str) -> tuple[Run, Path]:
        """What came of a program, and its folder."""
        names = list(self._programs)
        place = names.index(name)
        for other in names[place : place + 2]:
            if other not in self._runs:
                self._runs[other] = self._pool.submit(self._programs[other])
        return self._runs[name].result(), self._base / f"{place}"

    def end(self) -> None:
        """Wait for what has begun."""
        self._pool.shutdown(cancel_futures=True)
