"""Which modules cannot be imported, and which import nothing that their script would find."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.failing_imports import FailingImports
from dlint.analyses.idle.search_path import SearchPath
from tests.analyses.control.programs import MakeProgram
from tests.ends import calls_in

PACKAGE = {"pkg/__init__.py": "", "pkg/parts.py": "def make(): ...\n"}
RENAMED = {
    "main.py": "from old.utils.files import load\nfrom old.models.net import Net",
    "pkg/__init__.py": "",
    "pkg/utils/files.py": "def load(): ...",
    "pkg/models/net.py": "class Net: ...",
}


def _failure(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> str | None:
    """What fails when the first of some files is imported."""
    return context(files)[FailingImports].failure(str(folder / next(iter(files))))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"main.py": "from pkg.gone import make", **PACKAGE}, "no module `pkg.gone`"),
        ({"pkg/a.py": "from .gone import make", **PACKAGE}, "no module `.gone`"),
        ({"main.py": "from helper import gone", "helper.py": "here = 1"}, "has no `gone`"),
        ({"pkg/a.py": "from .parts import gone", **PACKAGE}, "`.parts` has no `gone`"),
        ({"pkg/a.py": "from pkg.parts import gone", **PACKAGE}, "`pkg.parts` has no `gone`"),
        ({"main.py": "import pkg.gone as parts", **PACKAGE}, "no module `pkg.gone`"),
        ({"main.py": "from pkg.parts import gone", **PACKAGE}, "`pkg.parts` has no `gone`"),
        ({"scripts/run.py": "from pkg.parts import gone", **PACKAGE}, "has no `gone`"),
        ({"main.py": "from ours.parts import gone", "ours/parts.py": ""}, "has no `gone`"),
        (RENAMED, "no package `old`, it is `pkg` here"),
        (
            {"main.py": "import pkg.a", "pkg/a.py": "from .parts import gone", **PACKAGE},
            "`pkg.a` cannot be imported",
        ),
    ],
)
def test_an_import_fails(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str], why: str
) -> None:
    assert why in (_failure(context, tmp_path, files) or "")


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "from pkg.parts import make", **PACKAGE},
        {"main.py": "from pkg import parts", **PACKAGE},
        {"main.py": "import torch\nfrom transformers.gone import x"},
        {"main.py": "try:\n    from pkg.gone import x\nexcept ImportError: x = None", **PACKAGE},
        {"main.py": "def f():\n    from pkg.gone import x", **PACKAGE},
        {"main.py": "from pkg._version import x", **PACKAGE},
        {"main.py": "from pkg.gone import x", "setup.py": "Extension('pkg.gone')", **PACKAGE},
        {"main.py": "from pkg.gone import x", ".gitignore": "gone/\n", **PACKAGE},
        {"main.py": "from helper import gone", "helper.py": "from torch import *"},
        {"main.py": "from helper import gone", "helper.py": "def __getattr__(name): ..."},
        {"main.py": "from helper import gone", "helper.py": "for n in x: globals()[n] = n"},
        # what another name has by chance, or may be found where it is installed or made
        {**RENAMED, "main.py": "from old.utils.files import load"},
        {**RENAMED, "main.py": RENAMED["main.py"].replace("load", "gone")},
        {**RENAMED, "main.py": RENAMED["main.py"] + "\nimport old.other.things"},
        {**RENAMED, "README.md": "First install old."},
        {**RENAMED, "setup.py": "setup(package_dir={'old': 'pkg'})"},
        {**RENAMED, "start.py": "import sys, pkg\nsys.modules['old'] = pkg"},
        {**RENAMED, "other/old/a.py": ""},
        {**RENAMED, "other.py": "import pkg\nfrom old import Net"},
        # the folder of a whole project may have any name
        {"pkg/main.py": RENAMED["main.py"], **{n: t for n, t in RENAMED.items() if "/" in n}},
        {n: t for n, t in RENAMED.items() if n != "pkg/__init__.py"},
        # of which of several modules the name is meant is not known
        {"main.py": "from helper import gone", "helper.py": "", "other/helper.py": "gone = 1"},
        # a package in a package is not what others mean by its name
        {"sub/model.py": "from transformers.gone import x", "sub/__init__.py": "",
         "sub/transformers/__init__.py": ""},
        {"main.py": "from pkg.gone import x", "requirements.txt": "torch\npkg==1.0\n", **PACKAGE},
        {"run/main.py": "from pkg.parts import x", "requirements.txt": "pkg==1.0\n", **PACKAGE},
        {"main.py": "import pkg.parts, pkg.parts as p, torch.gone", **PACKAGE},
        {"main.py": "try:\n    from pkg.parts import x\nexcept ImportError: x = 1", **PACKAGE},
        # a folder that is no package gives way to an installed one
        {"main.py": "from ours.gone import x", "ours/parts.py": ""},
        # the folder of a module lies neither beside the script nor above it
        {"main.py": "from pkg.parts import gone", "a/pkg/__init__.py": "", "a/pkg/parts.py": ""},
        {"pkg/queue.py": "x = 1", "main.py": "from queue import Queue"},
    ],
)  # fmt: skip
def test_an_import_may_succeed(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _failure(context, tmp_path, files) is None


MOVED = {"old/train.py": "from data import Photos\n", "new/data.py": "class Photos: ...\n"}


def _unreached(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> bool:
    """Whether the first of some files imports what lies where its script does not look."""
    path = str(folder / next(iter(files)))
    return context(files)[FailingImports].out_of_reach(path) is not None


@pytest.mark.parametrize(
    "files",
    [
        MOVED,
        {**MOVED, "main.py": "print(1)\n"},
        {**MOVED, "requirements.txt": "torch\n"},
        {
            "a/vendored/train.py": "from vendored.data import Photos\n",
            "a/vendored/data.py": "class Photos: ...\n",
            "a/vendored/__init__.py": "",
            "a/__init__.py": "",
            "main.py": "import a.vendored.data\n",
        },
    ],
)
def test_no_script_would_find_it(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unreached(context, tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": "from data import Photos\n", "data.py": "class Photos: ...\n"},
        {"old/train.py": "from data import Photos\n", "data.py": "class Photos: ...\n"},
        {**MOVED, "new/main.py": "import old.train\n", "old/__init__.py": ""},
        {**MOVED, "new/main.py": "import sys\nsys.path.append('..')\nimport old.train\n"},
        {**MOVED, "README.md": "export PYTHONPATH=new\n"},
        {**MOVED, "new/setup.py": "setup(py_modules=['data'])\n"},
        {**MOVED, "requirements.txt": "data>=1\n"},
        {**MOVED, "README.md": "pip install data\n"},
        {"old/train.py": "import sys; sys.path.append('new')\nfrom data import Photos\n",
         "new/data.py": "class Photos: ...\n"},
        {"old/train.py": "import sys as s\ns.path.append('new')\nfrom data import Photos\n",
         "new/data.py": "class Photos: ...\n"},
        {"old/train.py": "from sys import path\npath.append('new')\nfrom data import Photos\n",
         "new/data.py": "class Photos: ...\n"},
        {"old/train.py": "import paths\nfrom data import Photos\n", "old/paths.py": "import sys\n"
         "sys.path.append('new')\n", "new/data.py": "class Photos: ...\n"},
        {"old/train.py": "from data import Photos\n", "new/data.py": "class Texts: ...\n"},
        {"old/train.py": "from queue import Queue\n", "new/queue.py": "class Queue: ...\n"},
        {"src/train.py": "from src.data import Photos\n", "src/data.py": "class Photos: ...\n"},
    ],
)  # fmt: skip
def test_some_script_may_find_it(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert not _unreached(context, tmp_path, files)


def test_a_file_that_is_left_out_of_the_project_counts(
    context: MakeProgram, tmp_path: Path
) -> None:
    analysed = context(MOVED)
    (tmp_path / "old" / "data.py").write_text("class Photos: ...\n")
    assert analysed[FailingImports].out_of_reach(str(tmp_path / "old" / "train.py")) is None


def test_the_texts_around_a_folder_are_searched_once(context: MakeProgram, tmp_path: Path) -> None:
    analysed = context({"a/main.py": "import ours\n", "a/other.py": "import ours\n"})
    (tmp_path / "a/README.md").write_text("pip install ours\n")
    path, other = SearchPath(analysed.project), str(tmp_path / "a/other.py")
    assert path.is_declared(str(tmp_path / "a/main.py"), "ours")
    assert calls_in(lambda: path.is_declared(other, "ours")) < 10
    assert not path.is_declared(other, "theirs")
