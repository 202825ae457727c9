"""Which functions and classes of a program nothing uses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

SCRIPT = """
def used(): HERE
def unused(): HERE
class Unused:
    def method(self): unused()
if __name__ == "__main__":
    used()
"""
HELPER = "def used(): HERE\ndef unused(): HERE\n"
MAIN = "from helper import used\nused()\n"


def _unused(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> set[str]:
    """The names of what nothing uses in the first of some files."""
    name = next(iter(files))
    analysed = context(files)
    text = (folder / name).read_text()
    places = (Place(str(folder / name), at, at + 1) for at in range(len(text)))
    found = (analysed[UnusedDefinitions].around(place) for place in places)
    return {scope.name for scope in found if scope is not None}


def test_of_a_script(context: MakeProgram, tmp_path: Path) -> None:
    assert _unused(context, tmp_path, {"main.py": SCRIPT}) == {"unused", "Unused"}


def test_of_a_module_beside_scripts(context: MakeProgram, tmp_path: Path) -> None:
    assert _unused(context, tmp_path, {"helper.py": HELPER, "main.py": MAIN}) == {"unused"}


def test_what_is_named_elsewhere_uses_more(context: MakeProgram, tmp_path: Path) -> None:
    helper = "def entry(): inner()\ndef inner(): ...\ndef unused(): ...\n"
    files = {"helper.py": helper, "main.py": "import helper\nhelper.entry()\n"}
    assert _unused(context, tmp_path, files) == {"unused"}


def test_a_name_in_prose_is_no_use(context: MakeProgram, tmp_path: Path) -> None:
    text = SCRIPT + '    print("now call unused() yourself, or Unused")\n'
    assert _unused(context, tmp_path, {"main.py": text}) == {"unused", "Unused"}


@pytest.mark.parametrize(
    "files",
    [
        # what nothing in the project imports, nor starts, may be for others
        {"helper.py": HELPER},
        {"pkg/helper.py": HELPER, "pkg/__init__.py": "", "setup.py": "setup()",
         "main.py": "from pkg.helper import used\n"},
        {"pkg/__init__.py": HELPER, "main.py": "from pkg import used\n"},
        {"helper.py": HELPER, "main.py": "from helper import *\n"},
        {"helper.py": HELPER, "main.py": "import helper\ngetattr(helper, name)()\n"},
        {"helper.py": HELPER + "table = globals()\n", "main.py": MAIN},
        {"helper.py": HELPER + "table = {'a': unused}\n", "main.py": MAIN},
        {"helper.py": HELPER + "table = ['helper:unused']\n", "main.py": MAIN},
        {"helper.py": "@register\n" + HELPER.replace("def unused", "@register\ndef unused"),
         "main.py": MAIN},
        {"helper.py": HELPER + "import fire\nfire.Fire()\n", "main.py": MAIN},
        {"hubconf.py": HELPER, "main.py": "from hubconf import used\n"},
        {"helper.py": "def main(): ...\ndef used(): ...\n", "main.py": MAIN},
    ],
)  # fmt: skip
def test_somebody_may_use_all(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unused(context, tmp_path, files) == set()


def test_notebooks_and_tests_are_users(context: MakeProgram, tmp_path: Path) -> None:
    analysed = context({"helper.py": HELPER, "main.py": MAIN})
    other = tmp_path / "test_helper.py"
    other.write_text("from helper import unused\n")
    analysed.project.bystanders = lambda: [str(other)]
    place = Place(str(tmp_path / "helper.py"), HELPER.rindex("HERE"), len(HELPER))
    assert analysed[UnusedDefinitions].around(place) is None


IMPORT = "import importlib\nimportlib.import_module("
LEFT = {
    "metrics/old_score.py": HELPER,
    "metrics/score.py": "def score(): ...\n",
    "main.py": "from metrics.score import score\nscore()\n",
}


@pytest.mark.parametrize(
    "files",
    [
        LEFT,
        {**LEFT, "metrics/__init__.py": ""},
        {**LEFT, "README.md": "Run `main.py`."},
        {**LEFT, "main.py": LEFT["main.py"] + f"{IMPORT}f'configs.{{name}}')\n"},
    ],
)
def test_a_module_that_nothing_imports_beside_one_that_is(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unused(context, tmp_path, files) == {"used", "unused"}


@pytest.mark.parametrize(
    "files",
    [
        {**LEFT, "README.md": "Run `from metrics.old_score import used`."},
        {**LEFT, "metrics/README.md": "old_score is what we used before."},
        {**LEFT, "main.py": LEFT["main.py"] + f"{IMPORT}name)\n"},
        {**LEFT, "main.py": LEFT["main.py"] + f"{IMPORT}f'metrics.{{name}}')\n"},
        {**LEFT, "main.py": LEFT["main.py"] + "MODULES = ['old_score']\n"},
        {**LEFT, "main.py": "print('nothing is imported')\n"},
        {**LEFT, "main.py": "", "metrics/old_score.py": "from score import score\n" + HELPER},
        {**LEFT, "setup.py": "setup()\n"},
        {**LEFT, "metrics/__init__.py": "from .score import score\n", "main.py": ""},
    ],
)
def test_a_module_that_somebody_may_import(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unused(context, tmp_path, files) == set()


BY_TEXT = {
    "pkg/helper.py": HELPER,
    "pkg/__init__.py": "",
    "main.py": "from pkg.helper import used\nused()\n",
    "models.py": f"{IMPORT}name)\n",
}


def test_imports_by_a_text_need_a_name(context: MakeProgram, tmp_path: Path) -> None:
    assert _unused(context, tmp_path, BY_TEXT) == {"unused"}
    other = {**BY_TEXT, "other.py": "def unused(): ...\n"}
    assert _unused(context, tmp_path, other) == {"unused"}
    names = "NAMES = ['unused']\n"
    named = {**BY_TEXT, "models.py": BY_TEXT["models.py"] + names}
    assert _unused(context, tmp_path, named) == set()
    apart = {**BY_TEXT, "models.py": f"{IMPORT}f'models.{{name}}')\n" + names}
    assert _unused(context, tmp_path, apart) == {"unused"}
