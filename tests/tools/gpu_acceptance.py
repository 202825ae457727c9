"""Verify the six core rules, and a script against itself, on a machine with a CUDA device."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dlint.workspace.errors import UsageError

_ROOT = Path(__file__).parent.parent.parent
PROGRAMS = _ROOT / "tests" / "gpu" / "programs"
"""Scripts that use the device; they are copied before they run."""

EXPECTED: dict[str, frozenset[str]] = {
    "missing-pin-memory": frozenset({"confirmed"}),
    "missing-non-blocking": frozenset({"confirmed", "no-effect", "inconclusive"}),
    "missing-set-epoch": frozenset({"mends-fault"}),
    "shuffle-with-sampler": frozenset({"mends-crash"}),
    "late-sharing-strategy": frozenset({"mends-fault"}),
    "eager-load-in-init": frozenset({"confirmed"}),
    "itself": frozenset({"no-effect", "inconclusive"}),
}
"""Verdicts that are right for each rule's program; `not-tried` for a rule without an edit."""

_SCRIPT_OF_ITSELF = "missing-non-blocking"
_SEEN = ("missing-set-epoch", "shuffle-with-sampler", "late-sharing-strategy")
"""Rules that are judged by what is seen in a few runs."""
_TIMED = ("missing-pin-memory", "eager-load-in-init", "missing-non-blocking", "itself")
"""Those that are timed, ordered by worth: what must be confirmed comes first. Each is given an even
share of the time that is left; what it does not need is left to the others."""
_LEAST = 40.0
"""Seconds of the smallest budget."""
_ENDING = 20.0
"""Seconds that a verification has to end its runs."""
_ROOM = 1 << 30
"""Shared memory that the programs need for batches of tens of megabytes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", type=Path, help="where the results are written")
    parser.add_argument(
        "--limit", type=float, default=480.0, metavar="SECONDS", help="of everything (default: 480)"
    )


def run(namespace: argparse.Namespace) -> int:
    """Run everything. Returns 1 when a verdict is not one of those expected.

    What is not timed runs at once; the rest in turn, with what is left of the time. Results are
    written as they come.
    """
    end = time.monotonic() + namespace.limit  # to import torch for the first time takes long
    hear_interrupts()
    import torch

    if not torch.cuda.is_available():
        raise UsageError("there is no CUDA device on this machine")
    if shutil.disk_usage("/dev/shm").total < _ROOM:
        sys.stderr.write("/dev/shm is small: so are the batches, and pinning them may not pay\n")
    folder: Path = namespace.folder.resolve()
    programs = folder / "programs"
    shutil.copytree(PROGRAMS, programs, dirs_exist_ok=True)
    (programs / "pyproject.toml").write_text('[project]\nname = "programs"\n', "utf-8")
    rows: list[dict[str, Any]] = []
    with ThreadPoolExecutor(len(_SEEN)) as pool:
        for found in pool.map(lambda name: _row(name, programs, folder, _LEAST, end), _SEEN):
            _keep(rows, found, folder)
    for number, name in enumerate(_TIMED):
        share = (end - time.monotonic()) / (len(_TIMED) - number)
        budget = max(_LEAST, share)
        _keep(rows, _row(name, programs, folder, budget, end), folder)
    sys.stdout.write(markdown(rows))
    return 0 if all(found["right"] for found in rows) else 1


def hear_interrupts() -> None:
    """What a shell starts in the background ignores interrupts, and so does what it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _keep(rows: list[dict[str, Any]], found: dict[str, Any], folder: Path) -> None:
    rows.append(found)
    (folder / "acceptance.json").write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    (folder / "acceptance.md").write_text(markdown(rows), "utf-8")
    word = "as expected" if found["right"] else f"NOT as expected; see {found['rule']}.log"
    sys.stderr.write(f"{found['rule']}: {found['verdict']}, {word} ({found['seconds']} s)\n")


def _row(name: str, programs: Path, folder: Path, budget: float, end: float) -> dict[str, Any]:
    script = _SCRIPT_OF_ITSELF if name == "itself" else name
    choice = ["--self-test"] if name == "itself" else ["--select", name]
    output = folder / f"{name}.json"
    command = [sys.executable, "-m", "dlint", "verify", f"{script.replace('-', '_')}.py", *choice]
    command += ["--gpu", "--budget", f"{budget:.0f}s", "--no-save", "--output-format", "json"]
    command += ["--output-file", str(output), "--report", str(output.with_suffix(".html"))]
    begun = time.monotonic()
    code = _run(command, programs, folder / f"{name}.log", max(1.0, end - begun))
    return row(name, json.loads(output.read_text("utf-8")) if output.exists() else None) | {
        "seconds": round(time.monotonic() - begun),
        "exit_code": code,
    }


def _run(command: Sequence[str], folder: Path, log: Path, limit: float) -> int:
    """Run a command with this checkout's dlint, interrupt it behind its time. Its exit code."""
    old = os.environ.get("PYTHONPATH")
    path = str(_ROOT) + (os.pathsep + old if old else "")
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return _ended(process)


def _ended(process: subprocess.Popen[bytes]) -> int:
    """End a verification; should it not hear, its attendant cleans up. Its exit code."""
    process.send_signal(signal.SIGINT)
    try:
        return process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def row(name: str, document: dict[str, Any] | None) -> dict[str, Any]:
    """What a verification of one rule came to."""
    fixes = [] if document is None else document["fixes"]
    mine = [fix for fix in fixes if fix["rule"] == name]
    left = [] if document is None else [n["rule"] for n in document["not_tried"]]
    verdict = mine[0]["verdict"] if mine else "not-tried" if name in left else "none"
    first = mine[0] if mine else {}
    return {
        "rule": name,
        "verdict": verdict,
        "expected": sorted(EXPECTED[name]),
        "right": verdict in EXPECTED[name],
        **{key: first.get(key) for key in ("speedup", "low", "high", "pairs", "why")},
        "environment": None if document is None else document["environment"],
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table of all rows."""
    facts: dict[str, Any] = next((r["environment"] for r in rows if r["environment"]), {})
    lines = [
        f"GPU: {facts.get('gpu')}, torch {facts.get('torch')}, CUDA {facts.get('cuda')}",
        "",
        "| rule | verdict | as expected | speedup | interval | pairs | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for found in rows:
        speedup = "" if found["speedup"] is None else f"{found['speedup']:.3f}x"
        interval = "" if not speedup else f"{found['low']:.3f}..{found['high']:.3f}"
        right = "yes" if found["right"] else "NO"
        cells = [found["rule"], found["verdict"], right, speedup, interval]
        cells += [str(found["pairs"] or ""), str(found["seconds"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
