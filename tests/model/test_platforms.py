"""The platforms that a project's own words admit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.frontends.documents import Documents
from dlint.model.machines.platforms import Admission, Platforms
from dlint.workspace.notebooks.document import Document
from dlint.workspace.notebooks.notebook import Notebook
from tests.conftest import MakeProgram

WINDOWS = (
    "Programming Language :: Python\n    Operating System :: Microsoft :: Windows :: Windows 10"
)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "setup.cfg",
            f"[metadata]\nclassifiers =\n    {WINDOWS}\n",
            ("Windows", "setup.cfg:4"),
        ),
        (
            "pyproject.toml",
            '[project]\nclassifiers = ["Operating System :: MacOS :: MacOS X"]\n',
            ("macOS", "pyproject.toml:2"),
        ),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  a:\n    strategy:\n      matrix:\n        os: [ubuntu-22.04, windows-2022]\n",
            ("Windows", ".github/workflows/ci.yml:5"),
        ),
        (
            ".github/workflows/ci.yaml",
            "jobs:\n  test:\n    runs-on: macos-latest\n",
            ("macOS", ".github/workflows/ci.yaml:3"),
        ),
        (".travis.yml", "os:\n  - linux\nmatrix:\n  - os: osx\n", ("macOS", ".travis.yml:4")),
        ("appveyor.yml", "image: Visual Studio 2022\n", ("Windows", "appveyor.yml:1")),
    ],
)
def test_words_that_admit_a_platform(
    name: str, text: str, said: tuple[str, str], context: MakeProgram, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    (tmp_path / ".git").mkdir()
    platforms = context({"tools/train.py": "x = 1"})[Platforms]
    assert platforms.spawning(str(tmp_path / "tools/train.py")) == Admission(*said)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", "classifiers =\n    Operating System :: POSIX :: Linux\n"),
        ("setup.cfg", "classifiers =\n    Operating System :: OS Independent\n"),
        ("pyproject.toml", '# "Operating System :: MacOS"\n'),
        (".github/workflows/ci.yml", "runs-on: ubuntu-latest  # not windows-latest\n"),
        (".github/workflows/ci.yml", "run: pip install darwin-py windows\n"),
        ("README.md", "Runs on windows-latest\n"),
    ],
)
def test_words_that_admit_none(name: str, text: str, context: MakeProgram, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    (tmp_path / ".git").mkdir()
    platforms = context({"train.py": "x = 1"})[Platforms]
    assert platforms.spawning(str(tmp_path / "train.py")) is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("import sys\nw = 0 if sys.platform == 'win32' else 4", True),
        ("import os\nif os.name == 'nt':\n    w = 0", True),
        ("import platform as p\ndef f():\n    return p.system() == 'Darwin'", True),
        ("from sys import platform as where\nw = 0 if where == 'darwin' else 2", True),
        ("class A:\n    platform = 1\nw = A.platform", False),
        ("import os\nw = os.cpu_count()  # os.name", False),
    ],
)
def test_a_module_that_looks_at_its_platform(text: str, asks: bool, context: MakeProgram) -> None:
    made = context(text)
    (facts,) = made.modules
    assert made[Platforms].are_asked_for(facts.module) is asks


@pytest.mark.parametrize(
    ("text", "platform", "row"),
    [
        ("import torch\ndevice = torch.device('mps')", "macOS", 2),
        ("device = 'cuda' if has else 'mps:0'", "macOS", 1),
        ("\n\nROOT = 'C:/Users/me/data'", "Windows", 3),
        ("ROOT = r'D:\\data'", "Windows", 1),
        ("ROOT = 'D:\\\\'", "Windows", 1),
    ],
)
def test_code_shows_a_platform(
    text: str, platform: str, row: int, context: MakeProgram, tmp_path: Path
) -> None:
    shown = context({"main.py": text})[Platforms].shown(str(tmp_path / "main.py"))
    assert shown is not None
    assert (shown.platform, shown.where) == (platform, f"main.py:{row}")
    assert shown.in_words.startswith(f"on {platform}: ")


@pytest.mark.parametrize(
    "text",
    [
        "ROOT = '/data'  # 'C:/data'",
        "url = 's3://bucket'; other = 'http://x'; key = 'a:b'",
        "name = 'mps_loader'",
        "def f(x):\n    return x.device.type == 'mps' or 'mps' != x.device.type",
        "text = 'put it under C:/data'",
    ],
)
def test_code_that_shows_none(text: str, context: MakeProgram, tmp_path: Path) -> None:
    assert context({"main.py": text})[Platforms].shown(str(tmp_path / "main.py")) is None


def test_a_module_shows_it_of_the_programs_that_import_it(
    context: MakeProgram, tmp_path: Path
) -> None:
    guard = 'if __name__ == "__main__":\n    pass\n'
    files = {"devices.py": "d = 'mps'", "a.py": f"import devices\n{guard}", "b.py": guard}
    platforms = context(files)[Platforms]
    assert platforms.shown(str(tmp_path / "a.py")) is not None
    assert platforms.shown(str(tmp_path / "b.py")) is None


@pytest.mark.parametrize(
    ("printed", "platform"),
    [
        (r"C:\Users\me\AppData\Local\Temp\ipykernel_12\3.py:1: UserWarning: old", "Windows"),
        (r"'e:\\projects\\birds'", "Windows"),
        ("/Users/me/miniforge3/lib/python3.11/site-packages/torch/x.py:1: old", "macOS"),
        ("/opt/homebrew/lib/python3.11/site-packages/torch/x.py:1: old", "macOS"),
        ("/home/me/venv/lib/python3.11/site-packages/torch/x.py:1: old", None),
        (r"0  C:\data\pictures\one.png", None),
        ("/Users/me/pictures/one.png", None),
        (r"loaded 'e:\\projects\\birds'", None),
    ],
)
def test_what_a_notebook_printed(
    context: MakeProgram, tmp_path: Path, printed: str, platform: str | None
) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    cell = {"cell_type": "code", "source": "x = 1", "outputs": [output], "metadata": {}}
    written = json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 4, "metadata": {}})
    analysed = context("x = 1")
    source = Notebook(str(tmp_path / "x.ipynb"), Document(written), False, None)
    analysed.project.documents = Documents(str(tmp_path), lambda path: source)
    found = analysed[Platforms].printed(str(tmp_path / "x.ipynb"))
    assert (found and found.platform) == platform
    assert analysed[Platforms].printed(str(tmp_path / "x.py")) is None
