"""Files that git tracks although `.gitignore` names them are part of the project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dlint.workspace import git
from dlint.workspace.discover import find_projects
from dlint.workspace.settings import Configuration
from dlint.workspace.walk import Scope

IGNORED = "data/\n*_tmp.py\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose ignore file names a folder, of which one file is tracked."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".gitignore").write_text(IGNORED)
    for name in ("train.py", "data/loader.py", "data/cache.py", "data/deep/part.py", "a_tmp.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    _git("init", "-q")
    _git("add", "train.py")
    return tmp_path


def _git(*command: str) -> None:
    subprocess.run(["git", *command], check=True, capture_output=True)


def _found() -> tuple[list[str], list[str]]:
    """The files of the project, and what git leaves out."""
    found = find_projects(["."], Configuration(), Scope())
    (project,) = found.projects
    files = sorted(os.path.relpath(path) for path in project.files)
    return files, sorted(os.path.relpath(path) for path in found.ignored)


def test_what_is_not_tracked_is_left_out(repository: Path) -> None:
    assert _found() == (["train.py"], ["a_tmp.py", "data"])


def test_what_is_tracked_is_no_less_part_of_the_project_for_its_name(repository: Path) -> None:
    _git("add", "-f", "data/loader.py", "a_tmp.py")
    files, ignored = _found()
    assert files == ["a_tmp.py", "data/loader.py", "train.py"]
    assert ignored == ["data/cache.py", "data/deep"]


def test_a_folder_is_entered_for_what_lies_deep_in_it(repository: Path) -> None:
    _git("add", "-f", "data/deep/part.py")
    assert _found()[0] == ["data/deep/part.py", "train.py"]


def test_a_worktree_has_its_index_elsewhere(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git("add", "-f", "data/loader.py")
    _git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    _git("worktree", "add", "-q", "../other")
    monkeypatch.chdir(repository.parent / "other")
    assert _found()[0] == ["data/loader.py", "train.py"]


def test_git_is_asked_only_of_what_may_stand_in_the_index(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("git is run")

    monkeypatch.setattr(git, "_git", refuse)
    assert _found() == (["train.py"], ["a_tmp.py", "data"])


def test_what_git_cannot_tell_stays_left_out(repository: Path) -> None:
    _git("add", "-f", "data/loader.py")
    (repository / ".git" / "HEAD").unlink()
    assert _found()[0] == ["train.py"]
