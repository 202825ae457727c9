"""The hook as a user has it: the real pre-commit builds its environment and runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BAD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset))
"""
GOOD = BAD.replace("shuffle=True, ", "")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not shutil.which("git"), reason="needs git")]


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
    command = ["git", *identity, "-c", "core.hooksPath=/dev/null", *arguments]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def _commit(folder: Path) -> str:
    """Make a repository of what lies in `folder`; the commit's hash."""
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "all")
    return _git(folder, "rev-parse", "HEAD")


def this_repository(folder: Path) -> str:
    """Copy the tree as it is now, uncommitted files included, and commit it there."""
    listed = _git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return _commit(folder)


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that uses the hook."""
    source, folder = tmp_path_factory.mktemp("dlint"), tmp_path_factory.mktemp("consumer")
    revision = this_repository(source)
    config = ["repos:", f"- repo: {source}", f"  rev: {revision}", "  hooks:", "  - id: dlint", ""]
    (folder / ".pre-commit-config.yaml").write_text("\n".join(config), "utf-8")
    (folder / "bad.py").write_text(BAD, "utf-8")
    (folder / "good.py").write_text(GOOD, "utf-8")
    _commit(folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments it builds."""
    return tmp_path_factory.mktemp("pre-commit")


def _run(consumer: Path, home: Path, *files: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--color=never", "--files", *files],
        cwd=consumer,
        env={**environment, "PRE_COMMIT_HOME": str(home), "PIP_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_hook_reports_a_finding(consumer: Path, home: Path) -> None:
    done = _run(consumer, home, "bad.py", "good.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "shuffle-with-sampler" in done.stdout
    assert "bad.py" in done.stdout
    assert "good.py" not in done.stdout


def test_the_hook_passes_a_clean_file(consumer: Path, home: Path) -> None:
    done = _run(consumer, home, "good.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


def test_the_hook_fixes_with_fix(consumer: Path, home: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(consumer, tmp_path / "fixing")
    config = folder / ".pre-commit-config.yaml"
    config.write_text(config.read_text("utf-8") + "    args: [--fix]\n", "utf-8")
    assert _run(folder, home, "bad.py").returncode == 1
    assert (folder / "bad.py").read_text("utf-8") == GOOD
    assert _run(folder, home, "bad.py").returncode == 0


def test_the_environment_has_no_torch(consumer: Path, home: Path) -> None:
    assert _run(consumer, home, "good.py").returncode == 0
    (packages,) = home.glob("repo*/py_env-*/lib/python*/site-packages")
    installed = {path.name for path in packages.iterdir()}
    assert "libcst" in installed
    assert "torch" not in installed
