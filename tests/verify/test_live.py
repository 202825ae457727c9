"""The programs whose truth is timed by hand run, and write what was asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verify.live import CEILINGS, KNOWN, TUNABLE, Known, Tunable


@pytest.mark.parametrize("known", KNOWN.values(), ids=list(KNOWN))
def test_each_is_a_program_and_a_change(known: Known) -> None:
    for text in (known.before, known.after):
        compile(text, "train.py", "exec")
    assert known.before != known.after
    assert bool(known.steps) != bool(known.epochs)


@pytest.mark.parametrize("tunable", [*TUNABLE.values(), *CEILINGS.values()])
def test_each_can_be_tuned(tunable: Tunable) -> None:
    compile(tunable.replayed(), "train.py", "exec")
    assert "in kept(loader)" in tunable.replayed()
    for settings in ({}, tunable.present, {"num_workers": 3, "prefetch_factor": 4}):
        compile(tunable.text(settings), "train.py", "exec")
    assert bool(tunable.steps) != bool(tunable.epochs)


@pytest.mark.parametrize(
    ("name", "wanted"), [("workers", {"steps": 3}), ("workers started anew", {"epochs": 1})]
)
def test_times_by_hand(name: str, wanted: dict[str, int], tmp_path: Path) -> None:
    script, result = tmp_path / "train.py", tmp_path / "times.json"
    script.write_text(KNOWN[name].after)
    asked = json.dumps({"file": str(result), **wanted})
    environment = {**os.environ, "BY_HAND": asked}
    subprocess.run([sys.executable, script.name], cwd=tmp_path, env=environment, check=True)
    times = json.loads(result.read_text())
    assert len(times) == 1 + next(iter(wanted.values()))
    assert times == sorted(times)
