"""Takes away each guard of a promise of `docs/security.md`, and sees that a test then fails.

The guards are those of `tests/data/guards.toml`. Each is taken from a copy of the checkout, in
which its test is run; a test that passes all the same, or a guard that is not there, is told.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests" / "data" / "guards.toml"
_LONGEST = 300.0
"""Seconds after which a test that goes on counts as one that fails."""


class Guard(NamedTuple):
    """What keeps a promise."""

    promise: str
    """How its row begins."""
    file: str
    guard: str
    without: str
    test: str


def guards() -> list[Guard]:
    """All that are listed."""
    return [Guard(**given) for given in tomllib.loads(LIST.read_text("utf-8"))["guard"]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("promises", nargs="*", help="how rows begin; all of them by default")


def run(namespace: argparse.Namespace) -> int:
    """Take away one after the other. Returns 1 if one is not missed."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        ignored = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=ignored)
        for guard in _chosen(namespace.promises):
            told = missed(guard, copy)
            wrong += told == "NOT MISSED"
            sys.stdout.write(f"{told}: {guard.promise}: {guard.file}: {guard.guard.strip()}\n")
            sys.stdout.flush()
    return int(wrong > 0)


def _chosen(promises: list[str]) -> Iterator[Guard]:
    return (g for g in guards() if not promises or any(g.promise.startswith(p) for p in promises))


def missed(guard: Guard, copy: Path) -> str:
    """What its test says of a copy of the checkout without the guard."""
    path = copy / guard.file
    text = path.read_text("utf-8")
    path.write_text(text.replace(guard.guard, guard.without, 1), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", guard.test]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return "missed, the test does not end"
    finally:
        path.write_text(text, "utf-8")
    return "missed" if done.returncode == 1 else "NOT MISSED"
