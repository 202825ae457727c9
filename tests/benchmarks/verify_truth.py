"""Whether what `dlint verify` says of live programs is what they take, timed by hand.

    python tests/benchmarks/verify_truth.py OUT [--budget 90] [--turns 2] [--only WORDS]

Each program of `tests/verify/live.py` runs in fresh processes without dlint, as it is, changed,
changed, as it is (so many turns), and writes when its steps or epochs ended. Then the command
verifies the change. Each line of OUT is one program: the truth, the interval, and whether it holds
the truth.XX
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.benchmarks.by_hand import Line, add_lines, parser, told_by  # noqa: E402
from tests.benchmarks.verify_errors import difference  # noqa: E402
from tests.verify.live import KNOWN, Known, Tunable  # noqa: E402

_SKIPPED = 20
"""Steps of a run by hand that do not count: what is first used is slower."""


def main() -> None:
    """Time them by hand, and verify them."""
    options = parser(__doc__)
    options.add_argument("--budget", type=float, default=90.0)
    options.add_argument("--turns", type=int, default=2)
    given = options.parse_args()
    add_lines(given, KNOWN, lambda known: _line(known, given))


def _line(known: Known, given: argparse.Namespace) -> Line:
    line = {**_by_hand(known, given.turns), **_verified(known, given.budget)}
    return {**line, "holds": _holds(line)}


def _by_hand(known: Known, turns: int) -> dict[str, Any]:
    """Seconds of a step or an epoch on both sides, each process one, and how many times faster."""
    before: list[float] = []
    after: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2 * turns):
            sides = [(known.before, before), (known.after, after)]
            for text, seconds in sides if turn % 2 == 0 else reversed(sides):
                seconds.append(timed(known, text, Path(folder)))
    ratio = statistics.fmean(before) / statistics.fmean(after)
    shares = [statistics.stdev(s) / statistics.fmean(s) / len(s) ** 0.5 for s in (before, after)]
    return {
        "by_hand": round(ratio, 4),
        "error": round(ratio * math.hypot(*shares), 4),
        "before": [round(s, 5) for s in before],
        "after": [round(s, 5) for s in after],
    }


def timed(known: Known | Tunable, text: str, folder: Path) -> float:
    """Seconds of a step, or an epoch, of one process without dlint."""
    script, result = folder / "train.py", folder / "times.json"
    script.write_text(text)
    wanted: dict[str, Any] = {"file": str(result)}
    wanted |= {"epochs": known.epochs} if known.epochs else {"steps": known.steps + _SKIPPED}
    starter = [sys.executable]
    if isinstance(known, Known) and known.launcher:
        starter += ["-m", "torch.distributed.run", *shlex.split(known.launcher)[1:]]
    environment = {**os.environ, "BY_HAND": json.dumps(wanted)}
    subprocess.run([*starter, str(script)], cwd=folder, env=environment, check=True)
    marks = json.loads(result.read_text())
    first = 0 if known.epochs else _SKIPPED
    return float(marks[-1] - marks[first]) / (len(marks) - 1 - first)


def _verified(known: Known, budget: float) -> Line:
    change = difference(known.before, known.after)
    words = ["verify", "--no-save", "--budget", f"{budget:.0f}s", "--fix-file", "change.patch"]
    words += ["--launcher", known.launcher] if known.launcher else []
    files = {"train.py": known.before, "change.patch": change}
    return told_by(words, files, 3 * budget + 240, _told)


def _told(document: dict[str, Any]) -> dict[str, Any]:
    (fix,) = document["fixes"]
    told = {key: fix[key] for key in ("verdict", "why", "pairs", "speedup", "low", "high")}
    return {**told, "details": {k: v for k, v in fix["details"].items() if k != "stages"}}


def _holds(line: dict[str, Any]) -> bool | None:
    """Whether the interval holds the truth; None where there is no interval."""
    if line.get("low") is None:
        return None
    return bool(line["low"] <= line["by_hand"] <= line["high"])


if __name__ == "__main__":
    main()
