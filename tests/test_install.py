"""From a fresh environment to the first finding, by the two commands that the README gives.

What pip installs is compiled when it is imported, which little of it ever is.
"""

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
_WITH_SERVER = re.compile(rf'^pip install ".*\[server\] @ git\+{_ADDRESS}"$', re.M)


def _run(given: re.Match[str] | None, then: str, tmp_path: Path) -> tuple[int, str, Path]:
    """Run commands of a document in a fresh environment: the exit code, the output, and where."""
    assert given is not None
    clone, environment, project = (tmp_path / n for n in ("clone", "environment", "project"))
    for folder in (clone, project):
        folder.mkdir()
    this_repository(clone)
    subprocess.run([sys.executable, "-m", "virtualenv", "--quiet", environment], check=True)
    (project / "train.py").write_text(BAD, "utf-8")
    # older versions of pip take no address without a host behind a name
    address = clone.as_uri().replace("file:///", "file://localhost/")
    commands = given[given.re.groups].replace(_ADDRESS, address) + then
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("GIT_")}
    path = f"{environment / 'bin'}{os.pathsep}{kept['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", commands],
        cwd=project,
        env={**kept, "PATH": path, "PIP_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr, environment


@pytest.mark.slow
def test_the_two_commands_of_the_readme(tmp_path: Path) -> None:
    given = _INSTALLING.search((ROOT / "README.md").read_text("utf-8"))
    code, told, environment = _run(given, "", tmp_path)
    assert code == 1, told
    assert "DLT201 shuffle-with-sampler [*]" in told
    assert not any(environment.glob("lib/*/site-packages/torch"))


@pytest.mark.slow
def test_the_server_is_installed_as_the_page_on_editors_says(tmp_path: Path) -> None:
    given = _WITH_SERVER.search((ROOT / "docs" / "editors.md").read_text("utf-8"))
    then = "\npython -c 'from dlint.server.features import server; print(server().name)'"
    code, told, environment = _run(given, then, tmp_path)
    assert code == 0, told
    assert "dlint" in told.splitlines()
    assert not any(environment.glob("lib/*/site-packages/torch"))
