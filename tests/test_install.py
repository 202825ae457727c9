"""From a fresh environment to the first finding, by the two commands that the README gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_hook import BAD, this_repository

ROOT = Path(__file__).parent.parent
_ADDRESS = "https://example.com/dlint"
_INSTALLING = re.compile(rf'^```sh\n(pip install "git\+{_ADDRESS}"\n.*?)^```$', re.M | re.S)


@pytest.mark.slow
def test_the_two_commands_of_the_readme(tmp_path: Path) -> None:
    clone, environment, project = (tmp_path / n for n in ("clone", "environment", "project"))
    for folder in (clone, project):
        folder.mkdir()
    this_repository(clone)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    (project / "train.py").write_text(BAD, "utf-8")
    given = _INSTALLING.search((ROOT / "README.md").read_text("utf-8"))
    assert given is not None
    commands = given[1].replace(_ADDRESS, clone.as_uri())
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("GIT_")}
    path = f"{environment / 'bin'}{os.pathsep}{kept['PATH']}"
    command = ["bash", "-ec", commands]
    done = subprocess.run(
        command,
        cwd=project,
        env={**kept, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DLT201 shuffle-with-sampler [*]" in done.stdout
    assert not any(environment.glob("lib/*/site-packages/torch"))
