"""What the benchmarks of live programs share: one line of a file for each, and a command run on it.

Not run by itself: see verify_truth.py, verify_tune.py and doctor_ceiling.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tests.benchmarks.verify_errors import ended_by, load_average

P = TypeVar("P")
Line = dict[str, Any]


def parser(description: str | None) -> argparse.ArgumentParser:
    """Where lines go, and which programs are run."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("out", type=Path)
    made.add_argument("--only", default="", help="part of a name")
    return made


def add_lines(
    given: argparse.Namespace, programs: Mapping[str, P], line_of: Callable[[P], Line]
) -> None:
    """Add a line for each program that the file lacks, as soon as it is there."""
    done = given.out.read_text("utf-8").splitlines() if given.out.exists() else []
    names = {json.loads(line)["program"] for line in done}
    for name, program in programs.items():
        if name not in names and given.only in name:
            line = {"program": name, **line_of(program)}
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


def told_by(
    words: Sequence[str], files: Mapping[str, str], limit: float, told: Callable[[Any], Line]
) -> Line:
    """What dlint tells of `train.py` in a project of these files, and how long that took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, text in {"pyproject.toml": '[project]\nname = "programs"\n', **files}.items():
            (folder / path).write_text(text)
        result = folder / "result.json"
        command = [sys.executable, "-m", "dlint", words[0], "train.py", *words[1:], "--quiet"]
        command += ["--output-format", "json", "--output-file", str(result)]
        begun = time.time()
        failed = ended_by(command, folder, limit)
        found = json.loads(result.read_text()) if result.exists() else None
    line = failed if found is None else told(found)
    return {**line, "seconds": round(time.time() - begun), "load": load_average()}
