"""Nothing of a checked project runs, whatever it calls its files and writes into them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dlint

CHECKOUT = Path(dlint.__file__).parent.parent
TRAIN = """\
import yaml
from torch.utils.data import DataLoader

cfg = yaml.safe_load(open("config.yaml"))
DataLoader([], timeout=5, num_workers=cfg["workers"])
open("{marker}", "w").close()
"""
CONFIG = """\
workers: 0
x: !!python/object/apply:os.system ["touch {marker}"]
y: !!python/name:train.marker
_target_: train.run
"""
IMPORTED = ("libcst", "yaml", "pydantic", "torch", "json", "tomllib", "psutil", "shutil", "pathlib")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A project whose every part would make the file `ran`."""
    marker = str(tmp_path / "ran")
    project = tmp_path / "project"
    project.mkdir()
    runs = f"open({marker!r}, 'w').close()\n"
    for name in (*IMPORTED, "setup", "conftest", "sitecustomize", "usercustomize", "__main__"):
        (project / f"{name}.py").write_text(runs)
    (project / "dlint_rules.py").write_text(runs)
    (project / "x.dist-info").mkdir()
    (project / "x.dist-info" / "METADATA").write_text("Name: x\nVersion: 1\n")
    (project / "x.dist-info" / "entry_points.txt").write_text("[dlint.rules]\nx = dlint_rules\n")
    (project / "train.py").write_text(TRAIN.format(marker=marker))
    (project / "config.yaml").write_text(CONFIG.format(marker=marker))
    (project / "run.sh").write_text(f"touch {marker}; python train.py $(touch {marker})\n")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": [f"!touch {marker}\n"]}
    notebook = {"cells": [{**cell, "source": [runs]}, cell], "metadata": {}, "nbformat": 4}
    (project / "n.ipynb").write_text(json.dumps(notebook))
    (project / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'setup'\nbackend-path = ['.']\n"
    )
    return project


@pytest.mark.parametrize(
    "argv", [["check"], ["check", "--fix", "--unsafe-fixes"], ["explain", "train.py:5"], ["clean"]]
)
def test_nothing_runs(hostile: Path, argv: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [sys.executable, "-m", "dlint", *argv],
        cwd=hostile,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert not (hostile.parent / "ran").exists()


def test_dlint_itself_may_lie_in_the_working_directory() -> None:
    command = [sys.executable, "-m", "dlint", "--version"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    assert dlint.__version__ in done.stdout


def test_a_safe_path_is_left_as_it_is(hostile: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-P", "-m", "dlint", "check", "train.py"]
    done = subprocess.run(command, cwd=hostile, env=environment, capture_output=True, check=False)
    assert done.returncode in {0, 1}
