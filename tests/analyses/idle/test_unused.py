"""Which functions and classes of a program nothing uses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.findings.places import Place
from dlint.ir.module import ModuleIndex
from dlint.semantics.project import Lower
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


def test_a_longer_name_is_another(context: MakeProgram, tmp_path: Path) -> None:
    helper = "class Trainer: ...\nclass OwnTrainer: ...\n"
    main = "from helper import OwnTrainer, Trainer\nOwnTrainer()\n"
    files = {"helper.py": helper, "main.py": f"{main}def f(): ...\nf()\n"}
    assert _unused(context, tmp_path, files) == {"Trainer"}


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
        {"pkg/helper.py": HELPER, "pkg/__init__.py": "", "pyproject.toml": "[project]",
         "pkg/main.py": MAIN.replace("from helper", "from pkg.helper")},
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


@pytest.mark.parametrize("imports", ["import helper", "import helper as h", "from . import helper"])
@pytest.mark.parametrize(
    ("more", "is_open"),
    [
        ("getattr(lib, 'x')", False),
        ("f(x.__dict__, vars(x))", False),
        ("getattr({}, name)", True),
        ("{}.__dict__['x']()", True),
        ("own = {}\ngetattr(own, name)", True),
        ("class A:\n    def run(self): return vars({})", True),
        ("eval('h' + name)", True),
    ],
)
def test_who_has_a_module_may_use_all_of_it_by_looking_into_it(
    context: MakeProgram, tmp_path: Path, imports: str, more: str, is_open: bool
) -> None:
    name = imports.rpartition(" ")[2]
    main = f"{imports}\n{name}.used()\n{more.format(name)}\n"
    found = _unused(context, tmp_path, {"helper.py": HELPER, "main.py": main})
    assert found == (set() if is_open else {"unused"})


@pytest.mark.parametrize(
    ("text", "is_user"),
    [
        ("from helper import unused\n", True),
        ("import pkg\npkg.helper.unused()\n", True),
        ("from pkg import (\n    other,\n    helper,\n)\nhelper.unused()\n", True),
        ('["from pkg import (\\n",\n "    helper,\\n", ")\\n", "helper.unused()"]', True),
        ("patch('helper.unused')\n", True),
        ("load('helper:unused')\n", True),
        ("%run helper.py\nunused()\n", True),
        ("def unused(): ...\nunused('helper')  # a helper\n", False),
        ("def unused(helper): helper.run()\n", False),
    ],
)
def test_notebooks_and_tests_are_users(
    context: MakeProgram, tmp_path: Path, text: str, is_user: bool
) -> None:
    analysed = context({"helper.py": HELPER, "main.py": MAIN})
    other = tmp_path / "test_helper.py"
    other.write_text(text)
    analysed.project.bystanders = lambda: [str(other)]
    place = Place(str(tmp_path / "helper.py"), HELPER.rindex("HERE"), len(HELPER))
    assert (analysed[UnusedDefinitions].around(place) is None) is is_user


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
        # all that is imported, this module imports itself
        {**LEFT, "main.py": "", "metrics/old_score.py": "from mid import mid\n" + HELPER,
         "metrics/mid.py": "from score import score\n"},
        # what is imported is part of a library that has a part of this name
        {**LEFT, "main.py": "from torchmetrics.score import score\nscore()\n"},
        {**LEFT, "setup.py": "setup()\n"},
        {**LEFT, "metrics/__init__.py": "from .score import score\n", "main.py": ""},
    ],
)  # fmt: skip
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


def test_a_name_that_is_only_imported_is_no_use(context: MakeProgram, tmp_path: Path) -> None:
    main = "from helper import used, unused\nused()\n"
    files = {"helper.py": HELPER, "main.py": main}
    assert _unused(context, tmp_path, files) == {"unused"}
    handed_on = {**files, "more.py": "from main import unused\n"}
    assert _unused(context, tmp_path, handed_on) == set()
    for use in ("print(unused)\n", "__all__ = ['unused']\n"):
        assert _unused(context, tmp_path, {**files, "main.py": main + use}) == set()
    package = {"pkg/helper.py": HELPER, "pkg/__init__.py": "from .helper import unused\n"}
    assert "unused" not in _unused(context, tmp_path, package)


@pytest.mark.parametrize(
    ("more", "unused"), [({}, set()), ({"run.py": "import main\nmain.start()\n"}, {"unused"})]
)
def test_imports_of_what_nothing_starts_are_no_program(
    context: MakeProgram, tmp_path: Path, more: Mapping[str, str], unused: set[str]
) -> None:
    main = "from helper import used, unused\ndef start(): used()\n"
    assert _unused(context, tmp_path, {"helper.py": HELPER, "main.py": main, **more}) == unused


def test_names_of_all_of_another_module_are_not_those_of_this(
    context: MakeProgram, tmp_path: Path
) -> None:
    files = {"helper.py": HELPER, "main.py": f"from other import *\n{MAIN}", "other.py": ""}
    assert _unused(context, tmp_path, files) == {"unused"}
    files["main.py"] = f"from helper import *\n{MAIN}"
    assert _unused(context, tmp_path, files) == {"unused"}


@pytest.mark.parametrize(
    "more",
    [
        {"main.py": "from helper import *\nused()\nprint(unused)\n"},
        {"main.py": "from helper import *\nused()\nglobals()[name]()\n"},
        {"main.py": "from helper import *\nused()\n", "run.py": "import main\nmain.unused()\n"},
    ],
)
def test_what_takes_all_names_and_uses_them(
    more: Mapping[str, str], context: MakeProgram, tmp_path: Path
) -> None:
    assert _unused(context, tmp_path, {"helper.py": HELPER, **more}) == set()


def test_a_file_that_cannot_be_parsed_uses_what_it_names(
    context: MakeProgram, tmp_path: Path
) -> None:
    name, place = str(tmp_path / "broken.py"), Place(str(tmp_path / "helper.py"), 22, 23)
    text = 'TEXT = """\nfrom helper import unused\n"""\n'
    for is_broken in (False, True):
        made = context({"helper.py": HELPER, "main.py": MAIN, "broken.py": text})
        if is_broken:
            made.project.lower = partial(_but_for, name, made.project.lower)
        assert (made[UnusedDefinitions].around(place) is None) is is_broken


def _but_for(broken: str, lower: Lower, path: str) -> ModuleIndex | None:
    return None if path == broken else lower(path)


def test_a_method_called_eval_looks_nothing_up(context: MakeProgram, tmp_path: Path) -> None:
    method = "class Net:\n    def eval(self): ...  # eval()\nNet()\n"
    assert _unused(context, tmp_path, {"main.py": SCRIPT + method}) == {"unused", "Unused"}
    looks_up = SCRIPT + method + "eval(name)\n"
    assert _unused(context, tmp_path, {"main.py": looks_up}) == set()


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ("net.eval()\n", {"unused"}),
        ("def eval(): ...\n", {"unused"}),
        ("eval(net)\n", set()),
        ("list(map(eval, net))\n", set()),
    ],
)
def test_who_has_a_module_and_calls_a_method_eval(
    context: MakeProgram, tmp_path: Path, more: str, left: set[str]
) -> None:
    files = {"helper.py": HELPER, "main.py": f"import helper\nhelper.used()\n{more}"}
    assert _unused(context, tmp_path, files) == left


def test_who_imports_a_module_is_looked_for_once(context: MakeProgram, tmp_path: Path) -> None:
    files = {"helper.py": HELPER} | {f"main{number}.py": MAIN for number in range(20)}
    analysed = context(files)
    unused, graph = analysed[UnusedDefinitions], analysed.project.graph
    with patch.object(graph, "targets", wraps=graph.targets) as targets:
        assert unused.is_run(str(tmp_path / "helper.py"))
        count = targets.call_count
        assert count >= len(files) - 1
        assert unused.is_run(str(tmp_path / "helper.py"))
        assert targets.call_count == count


PARTS = {
    "lib/parts.py": "class Used: ...\nclass Left: ...\n",
    "lib/__init__.py": "from .parts import Left, Used\n",
    "main.py": "import lib\ndef f(): return lib.Used()\nf()\n",
}


def test_what_a_package_takes_and_nobody_from_it(context: MakeProgram, tmp_path: Path) -> None:
    assert _unused(context, tmp_path, PARTS) == {"Left"}


@pytest.mark.parametrize(
    "more", ["getattr(f, 'x', None)\n", "f.__dict__\n", "def eval(x): ...\nf.eval(1)\n"]
)
def test_other_things_are_looked_into(context: MakeProgram, tmp_path: Path, more: str) -> None:
    files = {**PARTS, "main.py": PARTS["main.py"] + more}
    assert _unused(context, tmp_path, files) == {"Left"}


def test_what_a_package_in_another_takes(context: MakeProgram, tmp_path: Path) -> None:
    files = {name.replace("lib/", "all/lib/"): text for name, text in PARTS.items()}
    files |= {"all/__init__.py": "from . import lib\n"}
    files |= {"main.py": "import all\ndef f(): return all.lib.Used()\nf()\n"}
    assert _unused(context, tmp_path, files) == {"Left"}


def test_of_a_module_that_a_used_package_does_not_take(
    context: MakeProgram, tmp_path: Path
) -> None:
    files = {"all/lib/left.py": "import all\nclass Left: ...\n", "all/lib/parts.py": "x = 1\n"}
    files |= {"all/__init__.py": "from . import lib\n", "main.py": "import all\nprint(all)\n"}
    files |= {"all/lib/__init__.py": "from .parts import x\n"}
    assert _unused(context, tmp_path, files) == {"Left"}
    assert not _unused(context, tmp_path, {**files, "all/lib/__init__.py": "x = 1\n"})
    assert not _unused(context, tmp_path, {**files, "main.py": "print()\n"})


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": PARTS["main.py"] + "lib.Left()\n"},
        {"main.py": PARTS["main.py"] + "getattr(lib, input())()\n"},
        {"main.py": PARTS["main.py"] + "print(lib.__dict__)\n"},
        {"main.py": PARTS["main.py"] + "import lib as x\n"},
        {"main.py": PARTS["main.py"] + "print(globals())\n"},
        {"main.py": PARTS["main.py"] + "lib.parts.Left()\n"},
        {
            "lib/__init__.py": "from . import parts\n",
            "main.py": "import lib\ndef f(): return lib.parts.Used(), lib.parts.Left()\nf()\n",
        },
        {"README.md": "The package has `Left`, too.\n"},
        {"lib/other.py": "from lib import Left\nclass Own(Left): ...\n"},
        {"lib/__init__.py": "from .parts import Left, Used\n__all__ = ['Left', 'Used']\n"},
        {"setup.py": "from setuptools import setup\nsetup()\n"},
        {"main.py": "print()\n"},  # nobody uses the package
    ],
)
def test_what_a_package_offers(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert not _unused(context, tmp_path, {**PARTS, **files})


UNSTARTED = """
import argparse
def load(): HERE
def main():
    parser = argparse.ArgumentParser()
    args = parser.parse_args()
    load()
"""


def test_of_a_script_that_does_nothing(context: MakeProgram, tmp_path: Path) -> None:
    assert _unused(context, tmp_path, {"a.py": UNSTARTED}) == {"load", "main"}


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": f"{UNSTARTED}main()\n"},
        {"a.py": f"{UNSTARTED}run = main\n"},
        {"a.py": UNSTARTED.replace("main():", "main(args=None):")},
        {"a.py": UNSTARTED.replace("    args = parser.parse_args()\n", "")},
        {"a.py": UNSTARTED, "b.py": "from a import main\ndef run(): main()\n"},
        {"a.py": UNSTARTED, "pyproject.toml": "[project.scripts]\nrun = 'a:main'\n"},
    ],
)
def test_of_a_script_that_somebody_may_start(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert not _unused(context, tmp_path, files)
