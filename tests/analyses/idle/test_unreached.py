"""Which files are parts of packages that nothing comes to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.unreached import UnreachedParts
from tests.analyses.control.programs import MakeProgram

PART = {
    "lib/data/loader.py": "def load():\n    return 1\n",
    "lib/data/__init__.py": "from .loader import load\n",
    "lib/__init__.py": "",
    "lib/nn.py": "net = 1\n",
    "train.py": "from lib.nn import net\n\nprint(net)\n",
}


def _package(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> str | None:
    found = context(files)[UnreachedParts].package_of(str(folder / next(iter(files))))
    return None if found is None else Path(found).name


def test_a_part_that_nobody_imports(context: MakeProgram, tmp_path: Path) -> None:
    assert _package(context, tmp_path, PART) == "lib"


@pytest.mark.parametrize(
    "files",
    [
        {**PART, "train.py": "from lib.data import load\n\nload()\n"},
        {**PART, "train.py": "from lib.nn import net\nfrom lib.data import *\n"},
        {**PART, "lib/nn.py": "from .data.loader import load\n"},
        # it is a script itself
        {
            **PART,
            "lib/data/loader.py": "def f():\n    pass\n\n\nif __name__ == '__main__':\n    f()\n",
        },
        # nobody uses the package, or others install it
        {**PART, "train.py": "print(1)\n"},
        {**PART, "setup.py": "from setuptools import setup\n\nsetup()\n"},
        # modules are imported by their names
        {**PART, "lib/nn.py": "import importlib\n\n\ndef f(x):\n    importlib.import_module(x)\n"},
    ],
)
def test_a_part_that_may_run(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _package(context, tmp_path, files) is None
