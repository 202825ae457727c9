"""Scripts that make it hard for who measures them: each ends in its time, and nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import dlint
from dlint.verify.run.runner import RunConfig
from tests.verify.conftest import COMMON, Batch, write

TRAINING = """
model, optimizer = make()
for epoch in range(100):
    for x, y in DataLoader(Rows(), 32):
        step(model, optimizer, x, y)
"""
"""What goes on behind the oddity, for longer than is measured."""

ODD = {
    "a daemon": """
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 3)
    os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"])
subprocess.Popen(["sleep", "600"], start_new_session=True)
""",
    "ignored signals": """
import signal
for number in {*signal.valid_signals()} - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
""",
    "blocked signals": """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
""",
    "a changed directory": """
import os, shutil, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
shutil.rmtree(folder)
""",
    "stopped clocks": """
time.time = time.perf_counter = time.monotonic = lambda: 0.0
time.time_ns = time.perf_counter_ns = time.monotonic_ns = lambda: 0
""",
    "clocks that go backwards": """
import itertools
time.perf_counter = itertools.count(0.0, -1.0).__next__
time.perf_counter_ns = itertools.count(0, -10**9).__next__
time.monotonic = time.time = time.perf_counter
""",
    "a flood of output": """
import sys, threading
def flood():
    while True:
        sys.stdout.write("x" * 65_536)
        sys.stderr.write("y" * 65_536 + "\\n")
threading.Thread(target=flood, daemon=True).start()
""",
    "threads that raise": """
import threading
def fail():
    raise RuntimeError("in a thread")
def again():
    while True:
        threading.Thread(target=fail).start()
        time.sleep(0.01)
threading.Thread(target=again, daemon=True).start()
""",
    "a thread that never ends": """
import threading
threading.Thread(target=lambda: time.sleep(600)).start()
""",
    "no way out": """
import atexit, os
atexit.register(lambda: time.sleep(600))
os._exit = lambda code: time.sleep(600)
""",
    "closed streams": """
import os, sys
sys.stdout.close()
sys.stderr = None
os.closerange(0, 3)
""",
    "no limit of recursion, and another hook": """
import sys
sys.setrecursionlimit(10**6)
sys.excepthook = sys.settrace = sys.setprofile = lambda *given: None
""",
}
HANGING = {
    "an endless loop": "while True:\n    pass\n",
    "an endless loop that catches all": """
while True:
    try:
        time.sleep(600)
    except BaseException:
        pass
""",
    "who waits for a line": """
import sys
while sys.stdin.readline() != "so":
    time.sleep(0.1)
""",
    "an endless loop while it trains": """
model, optimizer = make()
for number, (x, y) in enumerate(DataLoader(Rows(), 32)):
    step(model, optimizer, x, y)
    while number == 5:
        pass
""",
}
SETTING = RunConfig(warmup=4, steps=20, limit=20)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Batch]:
    batch = Batch(tmp_path_factory.mktemp("odd"))
    for name, text in ODD.items():
        batch.add(name, f"from common import *\n{text}{TRAINING}", setting=SETTING)
    short = RunConfig(warmup=4, steps=20, limit=3)
    for name, text in HANGING.items():
        batch.add(name, f"from common import *\n{text}", setting=short, startup_limit=8)
    yield batch
    batch.end()


def _left(folder: Path) -> list[str]:
    """Processes that were started in a folder or below, or with its name."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [process.cwd(), *process.environ().values()]
            if any(str(folder) in text for text in told) and process.status() != "zombie":
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_an_odd_script_is_measured_and_ended(runs: Batch, name: str) -> None:
    run, folder = runs.of(name)
    assert run.training is not None, run.stderr
    assert run.training.batches >= 20
    assert _left(folder) == []
    assert len(run.stderr) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", HANGING)
def test_a_script_that_hangs_is_ended(runs: Batch, name: str) -> None:
    run, folder = runs.of(name)
    assert run.over is not None
    assert "limit" in run.over or "within 3 s" in run.over
    assert _left(folder) == []


@pytest.mark.long
def test_two_at_once_in_one_project(tmp_path: Path) -> None:
    project, temporary = tmp_path / "project", tmp_path / "temporary"
    temporary.mkdir()
    write(project, {"common.py": COMMON, "train.py": f"from common import *\n{TRAINING}"})
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    packages = str(Path(dlint.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": packages, "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "dlint", "verify", "train.py", "--self-test", "--no-save"]
    command += ["--steps", "10", "--warmup", "4", "--budget", "150s", "--pairs", "2"]
    both = [
        subprocess.Popen(
            command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for _ in range(2)
    ]
    for process in both:
        told, _ = process.communicate(timeout=400)
        assert process.returncode == 0, told.decode()
    after = {p.name: p.read_bytes() for p in project.iterdir() if p.name != "__pycache__"}
    assert after == before
    assert list(temporary.iterdir()) == []
    assert _left(project) == []
