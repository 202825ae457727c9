"""Which files a run reads and which of them it reports on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from dlint.workspace.discover import Project, find_projects, find_stdin
from dlint.workspace.errors import UsageError
from dlint.workspace.globs import Globs
from dlint.workspace.settings import Configuration
from dlint.workspace.walk import Scope


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below no project, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(*names: str, text: str = "") -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _find(*paths: str, scope: Scope | None = None) -> list[Project]:
    return find_projects(paths, Configuration(), scope or Scope()).projects


def _relative(paths: Iterable[object]) -> list[str]:
    return sorted(os.path.relpath(str(path)) for path in paths)


def test_a_directory_is_walked(top: Path) -> None:
    _write("pyproject.toml", "a.py", "pkg/b.py", "pkg/c.txt", "pkg/d.pyi", "pkg/data/e.py")
    (project,) = _find(".")
    assert project.root == top
    assert _relative(project.files) == ["a.py", "pkg/b.py", "pkg/data/e.py"]
    assert project.reported == {str(path) for path in project.files}


def test_analysed_is_the_project_and_reported_what_was_given(top: Path) -> None:
    _write("pyproject.toml", "a.py", "pkg/b.py", "pkgs/c.py", "tests/test_b.py")
    (project,) = _find("pkg")
    assert _relative(project.files) == ["a.py", "pkg/b.py", "pkgs/c.py", "tests/test_b.py"]
    assert _relative(project.reported) == ["pkg/b.py"]


def test_a_file_is_reported_and_its_project_walked_only_when_looked_at(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write("pyproject.toml", "a.py", "b.py")
    (project,) = _find("a.py")
    assert _relative(project.reported) == ["a.py"]
    _write("c.py")
    assert _relative(project.files) == ["a.py", "b.py", "c.py"]
    assert project.files[0] == str(top / "a.py")
    assert len(project.files) == 3


def test_usual_folders_are_left_out(top: Path) -> None:
    _write("a.py", "build/b.py", "x/.venv/c.py", "node_modules/d.py", "env/pyvenv.cfg", "env/e.py")
    _write(".history/train_20240101.py")
    (project,) = _find(".")
    assert _relative(project.files) == ["a.py"]


def test_what_macos_keeps_beside_a_file_is_left_out(top: Path) -> None:
    _write("src/train.py", "src/._train.py")
    (project,) = _find(".")
    assert _relative(project.files) == ["src/train.py"]


def test_a_given_folder_is_walked_whatever_its_name(top: Path) -> None:
    _write("pyproject.toml", "a.py", "build/b.py", "env/pyvenv.cfg", "env/c.py")
    (project,) = _find("build", "env")
    assert _relative(project.reported) == ["build/b.py", "env/c.py"]
    assert _relative(project.files) == ["a.py", "build/b.py", "env/c.py"]


def test_gitignore_is_respected_also_nested_and_from_above(top: Path) -> None:
    _write(".git/HEAD", "pkg/gen/a.py", "pkg/gen/keep.py", "pkg/b.py", "pkg/sub/c.py", "out/d.py")
    Path(".gitignore").write_text("out/\n/pkg/b.py\n*_tmp.py\n")
    Path("pkg/gen/.gitignore").write_text("*\n!keep.py\n")
    _write("pkg/sub/x_tmp.py")
    (project,) = _find("pkg")
    assert _relative(project.files) == ["pkg/gen/keep.py", "pkg/sub/c.py"]
    (from_within,) = _find("pkg/sub")
    assert _relative(from_within.reported) == ["pkg/sub/c.py"]


def test_gitignore_may_be_disregarded(top: Path) -> None:
    _write(".git/HEAD", "a.py", "out/b.py")
    Path(".gitignore").write_text("out/\n")
    (project,) = _find(".", scope=Scope(respect_gitignore=False))
    assert _relative(project.files) == ["a.py", "out/b.py"]


def test_a_given_path_is_read_though_git_ignores_it(top: Path) -> None:
    _write(".git/HEAD", "a.py", "out/b.py", "out/deep/c.py")
    Path(".gitignore").write_text("out/\n")
    assert _relative(_find("out/b.py")[0].reported) == ["out/b.py"]
    assert _relative(_find("out/deep")[0].reported) == ["out/deep/c.py"]


def test_a_line_of_a_gitignore_that_is_no_pattern_is_passed_over(top: Path) -> None:
    _write(".git/HEAD", "a.py", "b.py")
    Path(".gitignore").write_text("!\nb.py\n")
    (project,) = _find(".")
    assert _relative(project.files) == ["a.py"]


def test_exclude_from_the_command_line_and_the_nearest_configuration(top: Path) -> None:
    _write("pyproject.toml", text='[tool.dlint]\nexclude = ["gen", "old/*.py"]\n')
    _write("a.py", "gen/b.py", "old/c.py", "cli/d.py", "sub/old/e.py", "sub/gen/f.py")
    _write("sub/dlint.toml", text='exclude = ["old"]\n')
    (project,) = _find(".", scope=Scope(exclude=Globs(["cli"], str(top))))
    assert _relative(project.files) == ["a.py", "sub/gen/f.py"]


def test_a_given_file_is_read_though_excluded_unless_forced(top: Path) -> None:
    _write("pyproject.toml", text='[tool.dlint]\nexclude = ["gen"]\n')
    _write("a.py", "gen/b.py", "build/c.py")
    (project,) = _find("gen/b.py", "build/c.py")
    assert _relative(project.reported) == ["build/c.py", "gen/b.py"]
    forced = find_projects(["gen/b.py", "build/c.py"], Configuration(), Scope(force_exclude=True))
    assert forced.projects == []
    assert _relative(forced.forced_out) == ["build/c.py", "gen/b.py"]


def test_a_repository_without_its_git_folder_is_one_project(top: Path) -> None:
    _write("LICENSE", "utils/a.py", "scripts/setup.py", "scripts/b.py")
    (project,) = _find(".")
    assert _relative(project.files) == ["scripts/b.py", "scripts/setup.py", "utils/a.py"]
    (of_file,) = _find("scripts/b.py")
    assert _relative(of_file.files) == _relative(project.files)


def test_each_file_belongs_to_the_project_of_its_nearest_repository(top: Path) -> None:
    _write("w/one/.git/HEAD", "w/one/a.py", "w/one/sub/.git", "w/one/sub/b.py")
    _write("w/two/setup.py", "w/loose.py")
    projects = {os.path.relpath(p.root): p for p in _find("w")}
    assert sorted(projects) == ["w", "w/one", "w/one/sub", "w/two"]
    assert _relative(projects["w/one"].files) == ["w/one/a.py"]
    assert _relative(projects["w/one/sub"].files) == ["w/one/sub/b.py"]
    assert _relative(projects["w"].files) == ["w/loose.py"]


def test_a_project_within_the_walked_one_but_not_within_the_given_is_not_read(top: Path) -> None:
    _write(".git/HEAD", "src/a.py", "third/.git", "third/b.py")
    (project,) = _find("src")
    assert _relative(project.files) == ["src/a.py"]


def test_markers_below_a_marked_root_begin_no_project(top: Path) -> None:
    _write("pyproject.toml", "a.py", "examples/one/setup.py", "examples/one/b.py")
    (project,) = _find(".")
    assert "examples/one/b.py" in _relative(project.files)


def test_a_folder_whose_settings_say_so_is_a_project(top: Path) -> None:
    _write("pyproject.toml", "a.py", "examples/one/b.py")
    Path("examples/dlint.toml").write_text("root = true\n")
    outer, inner = _find(".")
    assert (_relative(outer.files), _relative(inner.files)) == (["a.py"], ["examples/one/b.py"])
    for path in ("examples", "examples/one", "examples/one/b.py"):
        (project,) = _find(path)
        assert (project.root, _relative(project.files)) == (top / "examples", ["examples/one/b.py"])
    (project,) = _find("a.py")
    assert _relative(project.files) == ["a.py"]


def test_settings_below_it_do_not_end_it(top: Path) -> None:
    _write("pyproject.toml", "a.py", "examples/one/b.py")
    Path("examples/pyproject.toml").write_text("[tool.dlint]\nroot = true\n")
    Path("examples/one/dlint.toml").write_text('select = ["ALL"]\n')
    (project,) = _find("examples/one")
    assert project.root == top / "examples"


def test_links_neither_loop_nor_double(top: Path) -> None:
    _write("p/pyproject.toml", "p/pkg/a.py", "q/far.py")
    Path("p/pkg/loop").symlink_to(top / "p", target_is_directory=True)
    Path("p/b.py").symlink_to("pkg/a.py")
    Path("p/broken.py").symlink_to("nowhere.py")
    Path("p/c.py").symlink_to("../q/far.py")
    (project,) = _find("p")
    assert _relative(project.files) == ["p/c.py", "p/pkg/a.py"]


def test_a_given_link_to_a_directory_is_walked(top: Path) -> None:
    _write("pkg/a.py")
    Path("link").symlink_to("pkg", target_is_directory=True)
    (project,) = _find("link")
    assert _relative(project.reported) == ["link/a.py"]


def test_a_file_in_the_home_directory_brings_only_its_neighbours(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(top))
    _write("a.py", "b.py", "all/of/it/c.py")
    (project,) = _find("a.py")
    assert _relative(project.files) == ["a.py", "b.py"]


def test_missing_paths_are_all_named(top: Path) -> None:
    with pytest.raises(UsageError, match=r"no such file or directory: x\.py\n.*: y"):
        _find("x.py", "y")


def test_files_of_other_kinds_are_refused(top: Path) -> None:
    _write("a.so", "train")
    with pytest.raises(UsageError, match=r"not a Python file or notebook: a\.so"):
        _find("a.so")
    assert _relative(_find("train")[0].reported) == ["train"]


def test_notebooks_are_found(top: Path) -> None:
    _write("pyproject.toml", "a.ipynb", "nb/b.ipynb", "nb/.ipynb_checkpoints/b-checkpoint.ipynb")
    assert _relative(_find(".")[0].reported) == ["a.ipynb", "nb/b.ipynb"]
    assert _relative(_find("nb/b.ipynb")[0].reported) == ["nb/b.ipynb"]


def test_standard_input_stands_for_a_file_of_its_project(top: Path) -> None:
    _write("pyproject.toml", "a.py", "pkg/b.py")
    (project,) = find_stdin(top / "pkg/new.py", True, Configuration(), Scope()).projects
    assert _relative(project.files) == ["a.py", "pkg/b.py", "pkg/new.py"]
    assert _relative(project.reported) == ["pkg/new.py"]


def test_nameless_standard_input_is_alone(top: Path) -> None:
    _write("pyproject.toml", "a.py")
    (project,) = find_stdin(top / "-", False, Configuration(), Scope()).projects
    assert _relative(project.files) == ["-"]


def _deny(monkeypatch: pytest.MonkeyPatch, denied: Path) -> None:
    scandir = os.scandir

    def scan(path: str) -> object:
        if path == str(denied):
            raise PermissionError(path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", scan)


def test_a_directory_that_cannot_be_listed_is_told(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write("pyproject.toml", "a.py", "closed/b.py")
    _deny(monkeypatch, top / "closed")
    found = find_projects(["."], Configuration(), Scope())
    assert found.unreadable == [str(top / "closed")]
    with pytest.raises(UsageError, match="cannot list the directory"):
        _find("closed")
