"""Paths as Windows and macOS have them, on any system."""

from __future__ import annotations

import ntpath
import os
import sys
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.reports.view import View
from dlint.workspace import spelling, walk
from dlint.workspace.discover import find_projects
from dlint.workspace.globs import Globs
from dlint.workspace.ignore_files import IgnoreFile
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration
from dlint.workspace.source import Source
from dlint.workspace.spelling import normal, on_disk, prefix, spelled
from dlint.workspace.test_files import is_test


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are read as Windows reads them."""
    monkeypatch.setattr(spelling, "flavour", ntpath)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\p\\train.py", "C:/p/train.py"),
        ("c:/p\\train.py", "C:/p/train.py"),
        ("\\\\host\\share\\a.py", "//host/share/a.py"),
        ("pkg\\a.py", "pkg/a.py"),
        ("", ""),
    ],
)
def test_paths_have_slashes(path: str, expected: str) -> None:
    assert spelled(path) == expected
    assert spelled(PureWindowsPath(path)) in (expected, ".", f"{expected}/")


def test_elsewhere_a_backslash_is_a_letter() -> None:
    assert spelled("/p/a\\b.py") == "/p/a\\b.py"
    assert normal("/p/x/../a\\b.py") == "/p/a\\b.py"


@pytest.mark.usefixtures("windows")
def test_dots_are_taken_out() -> None:
    assert normal("C:/p/conf/../data/./x.yaml") == "C:/p/data/x.yaml"
    assert prefix("C:\\") == "C:/"
    assert prefix("C:\\p") == "C:/p/"


@pytest.mark.usefixtures("windows")
def test_patterns_match() -> None:
    assert Globs(["pkg/*.py"], "C:\\p").matches("C:/p/pkg/a.py")
    assert Globs(["pkg"], "C:\\p").cover("C:/p/pkg/a.py", "C:/p")
    ignored = IgnoreFile(prefix("C:\\p"), ["/gen/*.py"])
    assert ignored.decides("C:/p/gen/a.py", is_directory=False)


@pytest.mark.usefixtures("windows")
def test_tests_are_known() -> None:
    assert is_test("\\tests\\data.py", lambda: False)
    assert not is_test("\\src\\data.py", lambda: False)


@pytest.mark.usefixtures("windows")
def test_names_are_shown_below_the_directory() -> None:
    directory: Any = PureWindowsPath("c:\\p")
    view = View(Sources(), directory, frozenset())
    assert view.name("C:/p/pkg/a.py") == "pkg/a.py"
    assert view.name("D:/x.py") == "D:/x.py"


def test_a_walk_gives_slashes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").touch()
    listed = walk._listed

    def as_windows(directory: str, walked: walk.Walked) -> list[Any]:
        return [_entry(entry) for entry in listed(directory, walked)]

    monkeypatch.setattr(walk, "_listed", as_windows)
    monkeypatch.setattr(spelling, "flavour", ntpath)
    (project,) = find_projects([str(tmp_path)], Configuration(), walk.Scope()).projects
    assert [*project.files] == [f"{tmp_path}/pkg/a.py"]
    assert project.reported == {f"{tmp_path}/pkg/a.py"}


def _entry(entry: os.DirEntry[str]) -> Any:
    folder, _, name = entry.path.rpartition("/")
    return SimpleNamespace(
        name=entry.name,
        path=f"{folder}\\{name}",
        is_dir=entry.is_dir,
        is_file=entry.is_file,
        is_symlink=entry.is_symlink,
    )


DATA = "from torch.utils.data import DataLoader, DistributedSampler\n"
FILES = {
    "C:/p/pkg/__init__.py": "",
    "C:/p/pkg/data.py": f"{DATA}def make(rows):\n    return DataLoader(rows, num_workers=get())\n",
    "C:/p/train.py": (
        "from pkg.data import make\nfrom torch.utils.data import DataLoader, DistributedSampler\n\n"
        "def train(rows, model):\n    sampler = DistributedSampler(rows)\n"
        "    loader = build(rows, sampler)\n"
        "    for epoch in range(3):\n        for x in loader:\n            model(x).backward()\n\n"
        "from pkg.more import build\n"
    ),
    "C:/p/pkg/more.py": f"{DATA}\ndef build(rows, sampler):\n"
    "    return DataLoader(rows, sampler=sampler, shuffle=True)\n",
}


@pytest.mark.usefixtures("windows")
def test_modules_are_found_across_files() -> None:
    sources = {path: Source(path, text) for path, text in FILES.items()}
    request = Request(
        root=Path("C:/p"),
        files=list(FILES),
        reported=frozenset(FILES),
        rules=frozenset(rule_docs.summaries()),
        overrides=sources,
    )
    found = analyse(request, Sources(sources)).diagnostics
    (shuffled,) = (d for d in found if d.name == "shuffle-with-sampler")
    assert shuffled.place.path == "C:/p/pkg/more.py"
    (epochs,) = (d for d in found if d.name == "missing-set-epoch")
    assert epochs.place.path == "C:/p/train.py"


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def become(platform: str) -> None:
        monkeypatch.setattr(sys, "platform", platform)

    return become


def test_a_path_has_the_letters_of_the_disk(tmp_path: Path, blind: Callable[[str], None]) -> None:
    (tmp_path / "Pkg").mkdir()
    (tmp_path / "Pkg" / "Train.py").touch()
    given = tmp_path / "pkg" / "TRAIN.py"
    assert on_disk(given) == given
    for platform in ("win32", "darwin"):
        blind(platform)
        assert on_disk(given) == tmp_path / "Pkg" / "Train.py"
        assert on_disk(tmp_path / "none" / "x.py") == tmp_path / "none" / "x.py"


def test_of_two_names_the_exact_one_counts(tmp_path: Path, blind: Callable[[str], None]) -> None:
    for name in ("a.py", "A.py"):
        (tmp_path / name).touch()
    blind("darwin")
    assert on_disk(tmp_path / "a.py") == tmp_path / "a.py"
    assert on_disk(tmp_path / "A.py") == tmp_path / "A.py"


def test_a_composed_letter_is_the_same_letter(tmp_path: Path, blind: Callable[[str], None]) -> None:
    (tmp_path / "cafe\u0301.py").touch()
    blind("darwin")
    assert on_disk(tmp_path / "caf\u00e9.py") == tmp_path / "cafe\u0301.py"
