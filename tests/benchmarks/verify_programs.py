"""Verify a program for each rule and its control, and see that the verdicts are right.

    python tests/benchmarks/verify_programs.py --budget 60 [--only WORDS]

Prints a JSON line each, and exits with 1 when a verdict is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.verify.programs import EXAMPLES, Example  # noqa: E402


def main() -> int:
    """Verify them all. Returns 1 when a verdict is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for the timed runs")
    parser.add_argument("--only", default="", help="part of a name")
    given = parser.parse_args()
    wrong = 0
    for name, example in EXAMPLES.items():
        if given.only in name or given.only == example.rule:
            line = _verified(example, given.budget)
            wrong += not line["right"]
            print(json.dumps({"program": name, **line}), flush=True)
    print(json.dumps({"wrong": wrong}))
    return int(wrong > 0)


def _verified(example: Example, budget: float) -> dict[str, Any]:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(example.text)
        (Path(folder) / "pyproject.toml").write_text("[project]\nname = 'x'\n")
        command = [sys.executable, "-m", "dlint", "verify", "train.py", "--select", example.rule]
        command += ["--budget", f"{budget:.0f}s", "--no-save", "--output-format", "json", "-q"]
        command += ["--launcher", example.launcher] if example.launcher else []
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    fixes = json.loads(done.stdout)["fixes"] if done.returncode == 0 else []
    first: dict[str, Any] = next((f for f in fixes if f["mode"] == "alone"), {})
    facts = {key: first.get(key) for key in ("verdict", "speedup", "low", "high", "pairs", "why")}
    return {
        "rule": example.rule,
        "right": first.get("verdict") in example.verdicts,
        **facts,
        "results": (first.get("results") or {}).get("kind"),
        "seconds": round(time.monotonic() - begun),
        "error": done.stderr[-300:] if done.returncode else "",
    }


if __name__ == "__main__":
    sys.exit(main())
