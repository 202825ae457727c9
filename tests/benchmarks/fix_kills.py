"""What is left when `dlint check --fix` is killed at a random moment: all is fixed, or nothing.

    python tests/benchmarks/fix_kills.py --count 200 --seed 7

Each time a project of some files (links, several folders, modes) with a finding in each is fixed
by one process, or by two at once, and each is ended by SIGKILL, SIGTERM or Ctrl-C: at any moment of
the run, or in that in which it writes. Then `dlint check` runs there once. All files must be as
they were or all be fixed, nothing may lie beside them, and no notes of a write may be left. Prints
one JSON line each, and exits with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dlint

_TEXT = """\
from torch.utils.data import DataLoader, RandomSampler

def make(dataset):
    return DataLoader(dataset, 8, shuffle=True, sampler=RandomSampler(dataset), num_workers=2)
"""
_FILES, _FOLDERS = 24, 4
_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_COMMAND = (sys.executable, "-m", "dlint", "check", "--select", "shuffle-with-sampler")
_LONGEST_WRITE = 0.05
"""Seconds in which the files are written, on a machine that does little else."""


def main(arguments: Sequence[str]) -> int:
    """Kill it so many times. Returns 1 if anything was half done or left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args(arguments)
    draw = random.Random(given.seed)
    totals: Counter[str] = Counter()
    for number in range(given.count):
        with tempfile.TemporaryDirectory() as folder:
            told = _kill(draw, Path(folder).resolve())
        totals[told["left"]] += 1
        totals["while writing"] += told["was writing"]
        totals["wrong"] += bool(told["wrong"])
        print(json.dumps({"number": number, **told}), flush=True)
    print(json.dumps({"killed": given.count, "seed": given.seed, **totals}), flush=True)
    return int(totals["wrong"] > 0)


def _kill(draw: random.Random, folder: Path) -> dict[str, Any]:
    project, state = folder / "project", folder / "state"
    _make(project)
    environment = {**os.environ, "PYTHONPATH": _packages(), "XDG_STATE_HOME": str(state)}
    number, runs = draw.choice(_SIGNALS), draw.choice((1, 1, 2))
    waits, moment = draw.random() < 0.75, draw.random()
    quiet = subprocess.DEVNULL
    processes = [
        subprocess.Popen(
            [*_COMMAND, "--fix"], cwd=project, env=environment, stdout=quiet, stderr=quiet
        )
        for _ in range(runs)
    ]
    _wait(processes, state, waits, moment)
    was_writing = _is_writing(state)
    for process in processes:
        process.send_signal(number)
    for process in processes:
        process.wait(60)
    last = subprocess.run(
        _COMMAND, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    texts = {path.read_text() for path in project.rglob("*.py")}
    left = "as before" if texts == {_TEXT} else "fixed" if len(texts) == 1 else "half"
    wrong = [path.name for path in project.rglob(".dlint-*")] + [*_notes(state)]
    wrong += ["half"] if left == "half" else []
    wrong += [] if last.returncode == int(left == "as before") else [last.stderr]
    return {
        "signal": signal.Signals(number).name,
        "runs": runs,
        "was writing": was_writing,
        "left": left,
        "wrong": wrong,
    }


def _wait(
    processes: Sequence[subprocess.Popen[bytes]], state: Path, until_written: bool, moment: float
) -> None:
    """Until files are written and a part of that time more, or a part of what a run takes."""
    if not until_written:
        time.sleep(moment * 2)
        return
    while not _is_writing(state) and any(process.poll() is None for process in processes):
        time.sleep(0.001)
    time.sleep(moment * _LONGEST_WRITE)


def _is_writing(state: Path) -> bool:
    return any(_notes(state))


def _notes(state: Path) -> list[str]:
    folder = state / "dlint" / "writes"
    return [p.name for p in folder.iterdir() if p.name != "lock"] if folder.is_dir() else []


def _make(project: Path) -> None:
    for number in range(_FILES):
        path = project / f"part{number % _FOLDERS}" / f"loader{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEXT)
        path.chmod(0o640 if number % 2 else 0o755)
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (project / "linked.py").symlink_to(project / "part0" / "loader0.py")


def _packages() -> str:
    return str(Path(dlint.__file__).resolve().parent.parent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
