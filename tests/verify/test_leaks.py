"""No run leaves a process, a semaphore or a file behind, however it ends."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dlint
from dlint.verify.run.runner import Run, RunConfig

KILLS = Path(__file__).parent.parent / "benchmarks" / "verify_kills.py"

Launch = Callable[..., Run]

HANGS = """
from common import *
import multiprocessing, sys
if __name__ == "__main__":
    torch.multiprocessing.set_sharing_strategy(sys.argv[2])
    model, optimizer = make()
    loader = DataLoader(Rows(), 32, num_workers=2, multiprocessing_context=sys.argv[1])
    kept = []
    for number, (x, y) in enumerate(loader):
        step(model, optimizer, x, y)
        kept.append(x)
        if number == 3:
            time.sleep(600)
"""


def _running_in(folder: Path) -> set[int]:
    found = set()
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and (path / "cwd").resolve() == folder.resolve():
                found.add(int(path.name))
        except OSError:
            continue
    return found


def _shared_memory() -> set[str]:
    return {path.name for path in Path("/dev/shm").iterdir()}


def _semaphores_of(seen: set[str]) -> set[str]:
    return {name for name in _shared_memory() - seen if name.startswith("torch_")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "strategy"),
    [("fork", "file_system"), ("spawn", "file_descriptor"), ("forkserver", "file_descriptor")],
)
def test_a_run_that_hangs_is_ended_whole(
    launch: Launch, tmp_path: Path, method: str, strategy: str
) -> None:
    before = _shared_memory()
    setting = RunConfig(2, 100, limit=random.random() * 2)
    run = launch({"main.py": HANGS}, method, strategy, setting=setting)
    assert run.over is not None
    assert not _running_in(tmp_path)
    assert not _semaphores_of(before)


@pytest.mark.slow
def test_verify_that_is_ended_leaves_nothing() -> None:
    """Four random moments, one for each way to end it; the benchmark tries fifty."""
    words = [sys.executable, str(KILLS), "--count", "4", "--seed", "3", "--latest", "6"]
    environment = {**os.environ, "PYTHONPATH": str(Path(dlint.__file__).parent.parent)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"killed": 4' in done.stdout
