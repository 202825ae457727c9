"""Which files are of a copy of another repository that the project's own code does not import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import dlint
from dlint.analyses.idle.vendored import VendoredCode
from tests.analyses.control.programs import MakeProgram

CLONED = "# CellViT\n\n```\ngit clone https://github.com/other/CellViT.git\ncd CellViT\n```\n"
COPY = {"CellViT/train.py": "import torch\n", "CellViT/README.md": CLONED, "main.py": "x = 1\n"}


def _copy(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> str | None:
    found = context(files)[VendoredCode].around(str(folder / next(iter(files))))
    return None if found is None else Path(found.folder).name


@pytest.mark.parametrize(
    "files",
    [
        COPY,
        {**COPY, "CellViT/README.md": "# A vendored runtime\n"},
        {**COPY, "CellViT/README.md": "git clone git@github.com:other/cell-vit\n"},
        {
            **COPY,
            "CellViT/README.md": "# Cells\n",
            "README.md": "[it](https://github.com/o/cellvit)",
        },
        {**COPY, "main.py": "from CellViT.models import net\n", "CellViT/models.py": "net = 1\n"},
        {**COPY, "CellViT/README.md": "# Cells\n[Code](https://github.com/o/CellViT/tree/x)\n"},
    ],
)
def test_a_copy(context: MakeProgram, tmp_path: Path, files: Mapping[str, str]) -> None:
    assert _copy(context, tmp_path, files) == "CellViT"


@pytest.mark.parametrize(
    "files",
    [
        {**COPY, "CellViT/README.md": "# Our model\n"},
        {
            "CellViT/train.py": "import torch\n",
            "README.md": "https://github.com/ours/CellViT\n",
            "a.py": "",
        },
        {**COPY, "CellViT/README.md": "git clone https://github.com/other/Dependency\n"},
        {**COPY, "CellViT/README.md": "Uses https://github.com/other/Dependency\n"},
        # that may be the name of a folder by chance
        {
            "models/train.py": "x = 1",
            "models/README.md": "https://github.com/o/models",
            "main.py": "",
        },
        # all of the project is a collection of such folders
        {
            "CellViT/train.py": "import torch\n",
            "CellViT/README.md": "https://github.com/o/CellViT\n",
            "NetB/train.py": "import torch\n",
            "NetB/README.md": "# Net B\n",
        },
        # the project itself has that name
        {**COPY, "README.md": "git clone https://github.com/ours/cellvit\n"},
        {**COPY, "main.py": "from CellViT.train import torch\n"},
        # all of the project lies in there
        {"CellViT/train.py": "import torch\n", "CellViT/README.md": CLONED},
        {"main.py": "x = 1\n", "CellViT/README.md": CLONED, "CellViT/a.py": ""},
    ],
)
def test_no_copy(context: MakeProgram, tmp_path: Path, files: Mapping[str, str]) -> None:
    assert _copy(context, tmp_path, files) is None


FETCHED = {"src/net-main/train.py": "import torch\n", "src/main.py": "x = 1\n"}


def test_what_was_fetched_as_an_archive_is_a_copy(context: MakeProgram, tmp_path: Path) -> None:
    assert _copy(context, tmp_path, FETCHED) == "net-main"
    alone = {"net-main/train.py": "import torch\n", "other-main/a.py": "x = 1\n"}
    assert _copy(context, tmp_path / "b", alone) is None


MIT = "MIT License\n\nCopyright (c) {}\n\nPermission is hereby granted\n"
OWN = {"main.py": "from torch.utils.data import DataLoader\n"}
LICENSED = {
    "libs/net/train.py": "import torch\n",
    "libs/net/README.md": "# Net\n",
    "libs/net/LICENSE": MIT.format("2019 Other"),
    **OWN,
}
PACKAGED = {
    "utils/net/net/train.py": "import torch\n",
    "utils/net/README.md": "# Net\n",
    "utils/net/setup.py": "setup()\n",
    "utils/metrics.py": "import net.train\n",
    **OWN,
}


@pytest.mark.parametrize(
    "files",
    [
        LICENSED,
        {**LICENSED, "LICENSE": MIT.format("2021 Ours")},
        {**LICENSED, "main.py": OWN["main.py"] + "import libs.net.train\n"},
        PACKAGED,
    ],
)
def test_a_copy_by_what_it_has_of_its_own(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _copy(context, tmp_path, files) == "net"


def _without(files: Mapping[str, str], name: str) -> Mapping[str, str]:
    return {n: text for n, text in files.items() if n != name}


@pytest.mark.parametrize(
    "files",
    [
        {**LICENSED, "LICENSE": MIT.format("2021-2022 Other")},
        _without(LICENSED, "libs/net/README.md"),
        _without(LICENSED, "libs/net/LICENSE"),
        # the project consists of such folders
        {**LICENSED, "main.py": "import torch\n"},
        # several packages of one project
        _without(PACKAGED, "utils/metrics.py"),
        {**PACKAGED, "utils/net/README.md": ""},
    ],
)
def test_no_copy_by_what_it_has_of_its_own(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _copy(context, tmp_path, files) is None


@pytest.mark.parametrize("name", ["third_party", "thirdparty", "vendor", "external"])
def test_a_folder_for_the_code_of_others(context: MakeProgram, tmp_path: Path, name: str) -> None:
    files = {f"{name}/net/train.py": "import torch\n", "main.py": f"import {name}.net.train\n"}
    assert _copy(context, tmp_path, files) == name


def test_a_project_that_lies_in_such_a_folder(context: MakeProgram, tmp_path: Path) -> None:
    alone = {"external/train.py": "import torch\n", "external/main.py": "x = 1\n"}
    assert _copy(context, tmp_path, alone) is None


def test_a_notebook_in_a_folder_of_others_is_a_copy_too(tmp_path: Path) -> None:
    faulty = "from torch.utils.data import DataLoader\nDataLoader([1], batch_size=-1)\n"
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": faulty}]
    demo = tmp_path / "net" / "demo.ipynb"
    demo.parent.mkdir()
    demo.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    (tmp_path / "main.py").write_text(faulty)
    settings = dlint.Settings(select=("invalid-loader-arguments",))

    def severities() -> dict[str, str]:
        found = dlint.check([tmp_path], settings).findings
        return {one.location.path.name: one.severity for one in found}

    assert severities() == {"demo.ipynb": "error", "main.py": "error"}
    (demo.parent / "README.md").write_text("# Net\n")
    (demo.parent / "LICENSE").write_text("Copyright (c) 2021 Somebody\n")
    assert severities() == {"demo.ipynb": "info", "main.py": "error"}


RECORDED = {
    "modules/at/train.py": "import torch\n",
    "modules/at-0.3.dist-info/RECORD": "at/__init__.py,sha256=x,1\nat/train.py,sha256=x,1\n",
    "modules/main.py": "from at import train\n",
}


def test_what_pip_has_written_down_is_installed(context: MakeProgram, tmp_path: Path) -> None:
    assert _copy(context, tmp_path, RECORDED) == "at"


def test_what_it_has_not_is_the_projects_own(context: MakeProgram, tmp_path: Path) -> None:
    files = {**RECORDED, "modules/at-0.3.dist-info/RECORD": "other/at/__init__.py,sha256=x,1\n"}
    assert _copy(context, tmp_path, files) is None


LIBRARY = {
    "fastreid/engine/train.py": "import torch\n",
    "fastreid/__init__.py": "",
    "main.py": "from fastreid.engine import train\n",
}


def test_the_package_of_a_library_in_another_project(context: MakeProgram, tmp_path: Path) -> None:
    named = "from setuptools import setup\nsetup(name='vehicle-search')\n"
    assert _copy(context, tmp_path, LIBRARY) == "fastreid"
    assert _copy(context, tmp_path, {**LIBRARY, "setup.py": named}) == "fastreid"


@pytest.mark.parametrize(
    "files",
    [
        {**LIBRARY, "setup.py": "from setuptools import setup\nsetup(name='fastreid')\n"},
        {**LIBRARY, "pyproject.toml": '[project]\nname = "fastreid"\n'},
        {**LIBRARY, "pyproject.toml": '[project]\nname = "fast-reid-plus"\n'},
        {**LIBRARY, "setup.py": "from setuptools import setup\nsetup(name=PACKAGE)\n"},
        {n: t for n, t in LIBRARY.items() if not n.endswith("__init__.py")},
        {"reid/train.py": "import torch\n", "reid/__init__.py": "", "main.py": ""},
    ],
    ids=["its own", "by a table", "much the same", "a variable", "no package", "another name"],
)
def test_no_library_of_others(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _copy(context, tmp_path, files) is None


SCRIPTS = {
    "detection/train.py": "import utils\n",
    "detection/group_by_aspect_ratio.py": "",
    "detection/coco_eval.py": "",
    "detection/coco_utils.py": "",
    "main.py": "from detection import train\n",
}


def test_the_reference_scripts_of_torchvision(context: MakeProgram, tmp_path: Path) -> None:
    assert _copy(context, tmp_path, SCRIPTS) == "detection"


def test_what_lies_beside_them_is_somebodys_own(context: MakeProgram, tmp_path: Path) -> None:
    beside = {"detection/mine.py": "import torch\n", "detection/own/train.py": "", **SCRIPTS}
    assert _copy(context, tmp_path, beside) is None
    assert _copy(context, tmp_path, {"detection/own/train.py": "", **beside}) is None


def test_a_project_that_took_some_of_them(context: MakeProgram, tmp_path: Path) -> None:
    few = {n: t for n, t in SCRIPTS.items() if "aspect" not in n}
    assert _copy(context, tmp_path, few) is None
