"""What is left when `dlint verify` is ended at a random moment: nothing.

    python tests/benchmarks/verify_kills.py --count 50 --seed 7

Each time a program with workers (fork, spawn, forkserver; both sharing strategies; some crash, some
hang) is verified against itself, and verify is ended by Ctrl-C, twice Ctrl-C, SIGTERM or SIGKILL.
Then it must end within a minute, and no process may be left, no file in /dev/shm, none in the
temporary folder, and the project must be as it was. Where it is allowed, this runs in namespaces of
its own, so that nobody else's processes and files are seen. Prints one JSON line each, and exits
with 1 if anything was left.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dlint

_SCRIPT = """
import sys, time
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 60

    def __getitem__(self, index):
        return torch.full((4,), float(index)), index % 3

if __name__ == "__main__":
    method, strategy, fate = sys.argv[1:]
    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy(strategy)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kept = []
    for epoch in range(10000):
        loader = DataLoader(Rows(), 4, num_workers=2, multiprocessing_context=method)
        for number, (x, y) in enumerate(loader):
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            kept = [*kept[-5:], x]
            if epoch == 1 and number == 3:
                if fate == "hangs":
                    time.sleep(600)
                if fate == "crashes":
                    raise RuntimeError("so")
"""
_METHODS = ("fork", "spawn", "forkserver")
_STRATEGIES = ("file_descriptor", "file_system")
_FATES = ("goes on", "goes on", "hangs", "crashes")
WAYS = {
    "Ctrl-C": (signal.SIGINT,),
    "Ctrl-C twice": (signal.SIGINT, signal.SIGINT),
    "SIGTERM": (signal.SIGTERM,),
    "SIGKILL": (signal.SIGKILL,),
}
_PATIENCE = 25.0
"""Seconds that the attendant may take to clean up behind a killed verify."""
_INSIDE = "DLINT_KILLS_INSIDE"


def main(arguments: Sequence[str]) -> int:
    """Kill it so many times. Returns 1 if anything was left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--latest", type=float, default=14.0, help="the latest moment, in seconds")
    given = parser.parse_args(arguments)
    if _INSIDE not in os.environ and _may_be_alone():
        words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c"]
        inner = 'mount -t tmpfs none /dev/shm && exec "$@"'
        words += [inner, "sh", sys.executable, __file__, *arguments]
        return subprocess.run(words, env={**os.environ, _INSIDE: "1"}, check=False).returncode
    draw = random.Random(given.seed)
    wrong = 0
    for number in range(given.count):
        left = _kill(draw, list(WAYS)[number % len(WAYS)], given.latest)
        wrong += left["code"] is None or any(left["left"].values())
        print(json.dumps({"number": number, **left}), flush=True)
    print(json.dumps({"killed": given.count, "left something": wrong}), flush=True)
    return int(wrong > 0)


def _may_be_alone() -> bool:
    """Whether namespaces can be made here."""
    if shutil.which("unshare") is None:
        return False
    words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
    words += ["mount", "-t", "tmpfs", "none", "/dev/shm"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _kill(draw: random.Random, way: str, latest: float) -> dict[str, Any]:
    """One verification that is ended; what it was, and what was left."""
    arguments = [draw.choice(_METHODS), draw.choice(_STRATEGIES), draw.choice(_FATES)]
    moment = draw.uniform(0.2, latest)
    folder = Path(tempfile.mkdtemp()).resolve()
    project, temporary = folder / "project", folder / "tmp"
    project.mkdir()
    temporary.mkdir()
    (project / "train.py").write_text(_SCRIPT)
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    before, shared = _tree(project), _shared()
    code = _verify(project, temporary, arguments, moment, WAYS[way])
    end = time.monotonic() + _PATIENCE
    left = _left(project, temporary, before, shared)
    while any(left.values()) and time.monotonic() < end:
        time.sleep(0.1)
        left = _left(project, temporary, before, shared)
    for pid in _processes(project, temporary):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    return {"way": way, "program": arguments, "at": round(moment, 2), "code": code, "left": left}


def _verify(
    project: Path, temporary: Path, arguments: list[str], moment: float, numbers: Sequence[int]
) -> int | None:
    packages = str(Path(dlint.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": packages, "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "dlint", "verify", "train.py", "--self-test", "--no-save"]
    command += ["--steps", "10", "--warmup", "4", "--budget", "120s", "--", *arguments]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=project, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    ) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            for number in numbers:
                process.send_signal(number)
                time.sleep(0.1)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            return None


def _left(project: Path, temporary: Path, before: str, shared: set[str]) -> dict[str, object]:
    return {
        "processes": [_command(pid) for pid in _processes(project, temporary)],
        "shared": sorted(_shared() - shared),
        "temporary": sorted(path.name for path in temporary.iterdir()),
        "project": "" if _tree(project) == before else "changed",
    }


def _processes(project: Path, temporary: Path) -> list[int]:
    """In namespaces of our own all processes but this one; else those that name our folders."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    if _INSIDE in os.environ:
        return [pid for pid in pids if pid not in {1, os.getpid()} and _command(pid)]
    return [pid for pid in pids if pid != os.getpid() and _names(pid, (project, temporary))]


def _names(pid: int, folders: Sequence[Path]) -> bool:
    try:
        environment = (Path("/proc") / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return any(str(folder).encode() in environment for folder in folders) and bool(_command(pid))


def _command(pid: int) -> str:
    """The command line of a process; empty when it is gone or only waits to be collected."""
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_text().replace("\0", " ")[:200]
    except OSError:
        return ""


def _shared() -> set[str]:
    names = {path.name for path in Path("/dev/shm").iterdir()}
    return names if _INSIDE in os.environ else {n for n in names if n.startswith("torch_")}


def _tree(folder: Path) -> str:
    """A hash of all names and contents below a folder."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        state.update(str(path).encode())
        state.update(path.read_bytes() if path.is_file() else b"")
    return state.hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
