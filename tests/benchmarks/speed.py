"""How fast `dlint check` is beside other programs, as ratios measured in one run.

usage: python tests/benchmarks/speed.py [--lightning DIR] [--torchfix CMD] [--hotpath CMD] ...

Parts whose programs or files are missing are left out, with the reason. Times of one machine and
hour compare only with each other: run it on a quiet machine, and read the ratios.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
START = "from dlint.cli.main import entry; entry()"
DLINT = (sys.executable, "-c", START, "check")
"""What the console script runs."""

PAGES = sorted((ROOT / "rules").glob("*.md"))[:25]
BAD = re.compile(r'^```\w+ title="bad\w*\.py"\n(.*?)^```$', re.M | re.S)
IGNORED = """\
__pycache__/
*.py[cod]
*.so
.Python
build/
dist/
*.egg-info/
.env
.venv
venv/
/data/
logs/**/*.log
*.ckpt
!keep.ckpt
docs/_build/
.ipynb_checkpoints
wandb/
"""
SETTINGS = """\
# {0}
defaults:
  - override /model: resnet
model:
  name: resnet50
  width: {0}
  dropout: 0.1
  layers: [64, 128, 256, 512]
optimizer:
  name: adamw
  lr: 3.0e-4
  betas: [0.9, 0.999]
  weight_decay: 0.05
trainer:
  max_epochs: 90
  precision: bf16
  devices: 8
  strategy: ddp
  gradient_clip_val: 1.0
"""

PARSE = """
import os, sys
from pathlib import Path
import libcst
texts = [Path(path).read_bytes() for path in sys.stdin.read().splitlines()]
start = os.times().user
for text in texts:
    try:
        libcst.parse_module(text)
    except libcst.ParserSyntaxError:
        pass
print(os.times().user - start, len(texts))
"""

LOWER = """
import os, sys
from dlint.ir.lower import lower
from dlint.workspace.parsing import SyntaxProblem
from dlint.workspace.reading import read
sources = [read(path) for path in sys.stdin.read().splitlines()]
start = os.times().user
for source in sources:
    try:
        lower(source)
    except SyntaxProblem:
        pass
print(os.times().user - start, len(sources))
"""

ANALYSE = """
import os, sys
from pathlib import Path
import libcst
import dlint.analyses.context, dlint.ir.lower
from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.rules import registry
from dlint.workspace.reading import Sources
root, whole = Path(sys.argv[1]), sys.argv[2] == "whole"
paths = sys.stdin.read().splitlines()
rules = frozenset(rule_docs.summaries())
for name in registry.CHECKS:
    registry.load(name)
files = sorted(root.rglob("*.py")) if whole else [Path(path) for path in paths]
lowered = []
lower = dlint.ir.lower.lower
dlint.ir.lower.lower = lambda source: lowered.append(source) or lower(source)
start = os.times().user
analyse(Request(root, files, frozenset(paths), rules), Sources())
print(os.times().user - start, len(lowered))
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of a finished command."""

    wall: float
    user: float
    system: float = 0.0


@dataclass(frozen=True)
class Row:
    """One line of the table; `other` is None where there was nothing to compare with."""

    what: str
    dlint: float
    other: float | None
    target: float | None

    def __str__(self) -> str:
        if self.other is None:
            return f"{self.what:66} {self.dlint:9.3f}"
        ratio = self.dlint / self.other
        verdict = ""
        if self.target is not None:
            verdict = f"{self.target:8.3f}  {'yes' if ratio <= self.target else 'NO'}"
        return f"{self.what:66} {self.dlint:9.3f} {self.other:9.3f} {ratio:8.3f} {verdict}".rstrip()


def main() -> int:
    """Print the table as it comes about."""
    namespace = arguments()
    print(f"{'seconds':66} {'dlint':>9} {'other':>9} {'ratio':>8} {'target':>8}  within")
    for part in (bare_parsing, whole_repository, one_file, many_configs):
        for line in part(namespace):
            print(line, flush=True)
    return 0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--lightning", type=Path, help="Lightning-AI/pytorch-lightning, checked out"
    )
    parser.add_argument("--torchfix", default="torchfix", help="command (default: %(default)s)")
    parser.add_argument("--hotpath", default="hotpath", help="command (default: %(default)s)")
    parser.add_argument("--ruff", default="ruff", help="command (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="of each, but torchfix runs once")
    return parser.parse_args()


def bare_parsing(namespace: argparse.Namespace) -> Iterator[Row | str]:
    """User CPU without start-up, on the files that mention DataLoader, over libcst's parser."""
    root: Path | None = namespace.lightning
    if root is None or not root.is_dir():
        yield "left out: bare parsing (give --lightning DIR)"
        return
    root = root.resolve()
    paths = [p for p in sorted(root.rglob("*.py")) if b"DataLoader" in p.read_bytes()]
    given = "\n".join(map(str, paths))
    parsing, count = least(PARSE, given, namespace.repeats)
    yield f"user seconds on {count} files that mention DataLoader, beside libcst.parse_module:"
    seconds, _ = least(LOWER, given, namespace.repeats)
    yield Row(f"  all {count} lowered", seconds, parsing, None)
    for whole, what in (("alone", "checked alone"), ("whole", "checked within their project")):
        seconds, lowered = least(ANALYSE, given, namespace.repeats, str(root), whole)
        yield Row(f"  {what}: {lowered} modules lowered", seconds, parsing, 2.0)


def whole_repository(namespace: argparse.Namespace) -> Iterator[Row | str]:
    """A whole repository without cache, over other linters."""
    root: Path | None = namespace.lightning
    if root is None or not root.is_dir():
        yield "left out: whole repository (give --lightning DIR)"
        return
    command = (*DLINT, "--no-cache", "--exit-zero", "--quiet", str(root.resolve()))
    runs = [spent(command) for _ in range(namespace.repeats)]
    dlint = Spent(min(r.wall for r in runs), min(r.user for r in runs))
    others = (
        ("torchfix --select TOR4", namespace.torchfix, ("--select", "TOR4"), 1, 1 / 15),
        ("hotpath analyze", namespace.hotpath, ("analyze",), namespace.repeats, 1.0),
        ("ruff check", namespace.ruff, ("check", "--isolated", "--no-cache"), 3, None),
    )
    for name, other, flags, repeats, target in others:
        words = shlex.split(other)
        if shutil.which(words[0]) is None:
            yield f"left out: whole repository / {name} (no command `{words[0]}`)"
            continue
        times = [spent((*words, *flags, str(root.resolve()))) for _ in range(repeats)]
        wall, user = min(t.wall for t in times), min(t.user for t in times)
        yield Row(f"whole repository, wall / {name}", dlint.wall, wall, target)
        yield Row(f"whole repository, user / {name}", dlint.user, user, target)


def one_file(_: argparse.Namespace) -> Iterator[Row | str]:
    """A file that has nothing to do with loaders, over an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "plain.py")
        path.write_text("def double(x):\n    return 2 * x\n", "utf-8")
        ours: list[float] = []
        bare: list[float] = []
        for _ in range(15):
            ours.append(spent((*DLINT, str(path)), folder).wall)
            bare.append(spent((sys.executable, "-c", "pass"), folder).wall)
    what = "one file without a loader, wall / python -c pass (median of 15)"
    yield Row(what, statistics.median(ours), statistics.median(bare), 4.0)


def many_configs(_: argparse.Namespace) -> Iterator[Row | str]:
    """A project with 5,000 YAML files that speak of no loader, over the same without them."""
    with tempfile.TemporaryDirectory() as folder:
        without, beside = Path(folder, "without"), Path(folder, "beside")
        for root in (without, beside):
            programs(root)
        configs(beside)
        times: dict[Path, list[float]] = {without: [], beside: []}
        for _ in range(11):
            for root, found in times.items():
                command = (*DLINT, "--no-cache", "--exit-zero", "--quiet", str(root))
                took = spent(command, str(root))
                found.append(took.user + took.system)
    least_of = {root: min(found) for root, found in times.items()}
    what = f"{len(PAGES)} programs and 5,000 YAML files, CPU / the programs (least of 11)"
    yield Row(what, least_of[beside], least_of[without], 1.2)


def programs(root: Path) -> None:
    """The bad examples of the rules' pages, as the modules of one project."""
    for page in PAGES:
        found = BAD.search(page.read_text("utf-8"))
        path = root / "programs" / f"{page.stem.replace('-', '_')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found[1] if found else "", "utf-8")
    (root / "pyproject.toml").write_text("[project]\nname = 'programs'\n", "utf-8")
    (root / ".gitignore").write_text(IGNORED, "utf-8")


def configs(root: Path) -> None:
    """5,000 files of settings in 100 folders."""
    for number in range(5_000):
        path = root / "configs" / f"group{number % 100}" / f"setting{number}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SETTINGS.format(number), "utf-8")


def least(context: str, given: str, repeats: int, *flags: str) -> tuple[float, int]:
    """The fewest seconds, and the count, that runs of a Python program print."""
    return min(printed(context, given, *flags) for _ in range(repeats))


def printed(context: str, given: str, *flags: str) -> tuple[float, int]:
    """The seconds and the count that one run prints."""
    command = [sys.executable, "-c", context, *flags]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, check=True, env=environment()
    )
    seconds, count = done.stdout.split()
    return float(seconds), int(count)


def spent(command: Sequence[str], folder: str | None = None) -> Spent:
    """Run a command that may find something; what it took, its children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, cwd=folder, env=environment(), text=True)
    wall = time.perf_counter() - start
    if done.returncode not in (0, 1):
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr[-1500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)


def environment() -> dict[str, str]:
    """The environment of every command: this checkout's dlint can be imported, compiled once."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


if __name__ == "__main__":
    sys.exit(main())
