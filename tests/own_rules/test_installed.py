"""The package of `docs/own-rules.md`, installed by pip and tried as its page says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.own_rules.conftest import TRAIN, shown_files, write

ROOT = Path(__file__).parent.parent.parent
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Runs a module of Python where the package is installed, in the folder of its sources."""
    folder, target = tmp_path_factory.mktemp("acme"), tmp_path_factory.mktemp("site")
    write(folder, {**shown_files(), "train.py": TRAIN})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}

    def call(*command: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-P", "-m", *command]
        return subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    done = call("pip", "install", *flags, "--target", str(target), ".")
    assert done.returncode == 0, done.stderr
    return call


@pytest.mark.slow
def test_the_commands_of_the_page(call: Call) -> None:
    shown = call("dlint", "rule", "ACME001")
    assert (shown.returncode, shown.stderr) == (0, "")
    checked = call("dlint", "check", "--no-cache", "--select", "ACME", "train.py")
    assert (checked.returncode, checked.stderr) == (1, "")
    assert "ACME001 loader-without-timeout" in checked.stdout


@pytest.mark.slow
def test_its_tests_pass(call: Call) -> None:
    done = call("pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "tests")
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
