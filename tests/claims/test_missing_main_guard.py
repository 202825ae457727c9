"""missing-main-guard: workers that import the script fail there, unless it is guarded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.claims.conftest import Run

pytest.importorskip("torch")

_SCRIPT = """
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(
    TensorDataset(torch.arange(2)), num_workers=1, multiprocessing_context="spawn"
)
{guard}
    for batch in loader:
        print(batch)
"""
_SETTING = """
import multiprocessing

{guard}
    multiprocessing.set_start_method("spawn")

if __name__ == "__main__":
    worker = multiprocessing.Process(target=print, args=("works",))
    worker.start()
    worker.join()
"""
_GUARD = 'if __name__ == "__main__":'
_NONE = "if True:"


def _run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=False
    )


def test_without_a_guard_spawned_workers_fail(fresh: Run) -> None:
    done = fresh(_SCRIPT.format(guard=_NONE))
    assert done.code != 0
    assert "bootstrapping phase" in done.err


def test_with_a_guard_they_work(fresh: Run) -> None:
    done = fresh(_SCRIPT.format(guard=_GUARD))
    assert (done.code, done.out.count("tensor")) == (0, 2)


def test_without_a_guard_each_worker_sets_the_method_again(tmp_path: Path) -> None:
    done = _run(tmp_path, _SETTING.format(guard=_NONE))
    assert "works" not in done.stdout
    assert "context has already been set" in done.stderr
    assert "works" in _run(tmp_path, _SETTING.format(guard=_GUARD)).stdout
