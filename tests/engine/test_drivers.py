"""Notebooks that run what no script runs: their calls count in the modules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.drivers import Drivers
from dlint.engine.request import Request
from dlint.workspace.reading import Sources

DATA = """
from torch.utils.data import DataLoader


def loader_of(rows):
    return DataLoader(rows, batch_size=64, num_workers=2)
"""
LOOP = """
def train(model, loader):
    for epoch in range(100):
        for x, y in loader:
            model(x.cuda()).sum().backward()
"""
CALLS = """
from torch import nn
from torchvision.datasets import ImageFolder
from torchvision.transforms import ToTensor
from lib.data import loader_of
from lib.loop import train

train(nn.Linear(1, 1).cuda(), loader_of(ImageFolder("x", transform=ToTensor())))
"""
FILES = {"lib/__init__.py": "", "lib/data.py": DATA, "lib/loop.py": LOOP}
PINNING = "missing-pin-memory"


def _notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _told(folder: Path, files: Mapping[str, str], *reported: str) -> set[str]:
    """The names of the files with a loader of which pinning is said."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    paths = sorted(str(path) for path in folder.rglob("*.*"))
    wanted = frozenset(str(folder / name) for name in reported) or frozenset(paths)
    request = Request(folder, paths, wanted, frozenset(rule_docs.summaries()))
    found = [d.place.path for d in analyse(request, Sources()).diagnostics if d.name == PINNING]
    assert len(found) == len(set(found))
    return {Path(path).relative_to(folder).as_posix() for path in found}


@pytest.mark.parametrize("place", ["run.ipynb", "notebooks/run.ipynb"])
def test_a_notebook_runs_modules_that_no_script_runs(tmp_path: Path, place: str) -> None:
    assert _told(tmp_path, FILES) == set()
    assert _told(tmp_path, {place: _notebook(CALLS)}) == {"lib/data.py"}
    assert _told(tmp_path, {}, "lib/data.py") == {"lib/data.py"}
    assert _told(tmp_path, {}, "lib/loop.py", place) == set()


def test_what_a_notebook_makes_itself_is_told_there_alone(tmp_path: Path) -> None:
    text = f"{DATA}{CALLS.replace('from lib.data import loader_of', '')}"
    assert _told(tmp_path, {**FILES, "run.ipynb": _notebook(text)}) == {"run.ipynb"}


@pytest.mark.parametrize("guard", ['if __name__ == "__main__":\n    print(loader_of([1]))\n', ""])
def test_where_a_script_runs_them_notebooks_change_nothing(tmp_path: Path, guard: str) -> None:
    script = f"from lib.data import loader_of\n{guard or 'print(loader_of([1]))'}\n"
    files = {**FILES, "run.ipynb": _notebook(CALLS), "script.py": script}
    assert _told(tmp_path, files) == set()


def test_modules_that_a_notebook_imports_may_do_something(tmp_path: Path) -> None:
    loud = {**FILES, "lib/loop.py": f"print('imported')\n{LOOP}"}
    assert _told(tmp_path, {**loud, "run.ipynb": _notebook(CALLS)}) == {"lib/data.py"}


def test_a_packaging_file_runs_nothing(tmp_path: Path) -> None:
    setup = "from setuptools import setup\nfrom lib import data\n\nsetup(name='lib')\n"
    files = {**FILES, "setup.py": setup, "run.ipynb": _notebook(CALLS)}
    assert _told(tmp_path, files) == {"lib/data.py"}


def test_a_broken_script_that_nothing_asks_for_is_not_told(tmp_path: Path) -> None:
    files = {**FILES, "lib/other.py": " == =]\n", "run.ipynb": _notebook(CALLS)}
    assert _told(tmp_path, files) == {"lib/data.py"}
    paths = sorted(str(path) for path in tmp_path.rglob("*.*"))
    request = Request(tmp_path, paths, frozenset(paths), frozenset(rule_docs.summaries()))
    assert "syntax-error" not in {d.name for d in analyse(request, Sources()).diagnostics}


def test_a_program_with_a_main_guard_is_not_parsed_to_see_that_a_script_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def does(self: Drivers, path: str) -> str:
        asked.append(path)
        return "run"

    monkeypatch.setattr(Drivers, "_does", does)
    guarded = "from lib.data import loader_of\n\nif __name__ == '__main__':\n    loader_of([])\n"
    _told(tmp_path, FILES | {"run.py": guarded, "run.ipynb": _notebook(CALLS)})
    assert not asked
