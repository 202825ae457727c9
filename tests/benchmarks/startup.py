"""What the smallest runs of `dlint` cost, beside those of another checkout of it.

    python tests/benchmarks/startup.py OTHER [--runs N]

CPU (user and system) of whole processes, run by turns: the least and the median of each, and the
ratio of the least. `OTHER` is a checkout of another commit, such as `git worktree add` makes. Where
`valgrind` is installed the instructions of one run each stand beside that: they hardly change from
run to run, and not with the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PLAIN = "def double(x):\n    return 2 * x\n"
LOADER = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.randn(100000, 512))
loader = DataLoader(dataset, batch_size=64, num_workers=4)
model = torch.nn.Linear(512, 10).cuda()
for epoch in range(10):
    for (batch,) in loader:
        model(batch.cuda())
"""
COMMANDS = {
    "dlint --version": ("--version",),
    "check a file without a loader": ("check", "plain"),
    "check a file with a loader, no cache": ("check", "loader", "--no-cache"),
    "check it again, unchanged": ("check", "loader"),
}
_COUNTING = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a checkout of another commit")
    parser.add_argument("--runs", type=int, default=15, help="of each (default: %(default)s)")
    given = parser.parse_args()
    trees = (ROOT, given.other.resolve())
    counts = "million instructions" if shutil.which("valgrind") else ""
    print(f"{'milliseconds of CPU':38} {'here':>15} {'there':>15} {'ratio':>7}  {counts}".rstrip())
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("plain", PLAIN), ("loader", LOADER)):
            (Path(folder) / name).mkdir()
            (Path(folder) / name / "train.py").write_text(text)
        for what, arguments in COMMANDS.items():
            print(_row(what, trees, arguments, folder, given.runs), flush=True)


def _row(what: str, trees: Sequence[Path], arguments: Sequence[str], folder: str, runs: int) -> str:
    times: dict[Path, list[float]] = {tree: [] for tree in trees}
    for turn in range(runs + 1):
        for tree in trees if turn % 2 else reversed(trees):
            took = _seconds(_command(arguments), tree, folder)
            times[tree] += [took * 1000] if turn else []  # the first run compiles
    here, there = (f"{min(t):6.1f} ({statistics.median(t):6.1f})" for t in times.values())
    ratio = min(times[trees[0]]) / min(times[trees[1]])
    counts = [_instructions(arguments, tree, folder) for tree in trees]
    ending = "" if None in counts else f"  {counts[0]} against {counts[1]}"
    return f"{what:38} {here:>15} {there:>15} {ratio:7.3f}{ending}"


def _command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "dlint", *arguments]


def _seconds(command: Sequence[str], tree: Path, folder: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(command, tree, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _instructions(arguments: Sequence[str], tree: Path, folder: str) -> int | None:
    """Millions of them in one run; None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    done = _run([*_COUNTING, *_command(arguments)], tree, folder)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return round(int(found[1].replace(",", "")) / 1e6) if found else None


def _run(command: Sequence[str], tree: Path, folder: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


if __name__ == "__main__":
    main()
