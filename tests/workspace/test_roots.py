"""The project that a directory belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.workspace.roots import marked_root, project_roots


def _make(top: Path, *files: str) -> Path:
    for name in files:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".git"):
            path.mkdir()
        else:
            path.touch()
    return top


def test_the_outermost_marker_is_the_root(tmp_path: Path) -> None:
    _make(tmp_path, "a/setup.py", "a/b/pyproject.toml", "a/b/c/x.py")
    assert marked_root(tmp_path / "a/b/c") == tmp_path / "a"


def test_no_root_lies_above_the_nearest_repository(tmp_path: Path) -> None:
    _make(tmp_path, "a/pyproject.toml", "a/sub/.git", "a/sub/pkg/x.py")
    assert marked_root(tmp_path / "a/sub/pkg") == tmp_path / "a/sub"


def test_a_marker_below_the_repository_is_not_the_root(tmp_path: Path) -> None:
    _make(tmp_path, ".git", "examples/one/pyproject.toml")
    assert marked_root(tmp_path / "examples/one") == tmp_path


@pytest.mark.parametrize("name", [".gitignore", "LICENSE"])
def test_a_repository_without_its_git_folder_is_told_by_what_lies_at_its_top(
    tmp_path: Path, name: str
) -> None:
    _make(tmp_path, f"a/{name}", "a/scripts/setup.py")
    assert marked_root(tmp_path / "a/scripts") == tmp_path / "a"


def test_a_folder_that_settings_name_comes_before_any_marker(tmp_path: Path) -> None:
    _make(tmp_path, ".git", "setup.cfg", "examples/one/pyproject.toml", "examples/one/pkg/x.py")
    own = tmp_path / "examples"
    assert marked_root(own / "one/pkg", own.__eq__) == own
    assert marked_root(tmp_path, own.__eq__) == tmp_path


def test_the_home_directory_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make(tmp_path, ".git", "setup.cfg", "code/x.py")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert marked_root(tmp_path / "code") is None


def test_without_a_marker_paths_share_their_common_folder(tmp_path: Path) -> None:
    folders = [tmp_path / "w/a", tmp_path / "w/b/c"]
    for folder in folders:
        folder.mkdir(parents=True)
    assert set(project_roots(folders).values()) == {tmp_path / "w"}


def test_the_common_folder_is_widened_out_of_packages(tmp_path: Path) -> None:
    _make(tmp_path, "w/pkg/__init__.py", "w/pkg/sub/__init__.py")
    assert project_roots([tmp_path / "w/pkg/sub"]) == {tmp_path / "w/pkg/sub": tmp_path / "w"}


def test_unrelated_folders_are_projects_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    assert project_roots(folders) == {folder: folder for folder in folders}


def test_the_home_directory_itself_may_be_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_roots([tmp_path]) == {tmp_path: tmp_path}


def test_an_installed_package_is_a_project_of_its_own(tmp_path: Path) -> None:
    top = _make(tmp_path, "site-packages/a/b/__init__.py", "site-packages/a/__init__.py")
    top /= "site-packages"
    _make(top, "c/__init__.py")
    assert project_roots([top / "a/b", top / "c"]) == {top / "a/b": top / "a", top / "c": top / "c"}
    assert project_roots([top]) == {top: top}
    assert project_roots([top, top / "a"]) == {top: top, top / "a": top}


def test_a_folder_that_everybody_writes_into_is_no_project(tmp_path: Path) -> None:
    """`/tmp`: the `setup.py` that lies there may be anybody's."""
    (tmp_path / "shared/mine").mkdir(parents=True)
    (tmp_path / "shared/setup.py").touch()
    (tmp_path / "shared").chmod(0o1777)
    assert marked_root(tmp_path / "shared/mine") is None
