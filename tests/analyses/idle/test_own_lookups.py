"""Which modules may find what they hold without naming it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram


@pytest.mark.parametrize(
    ("line", "looks"),
    [
        ("print(vars(args))", False),
        ("def f(given): return vars(given), given.__dict__", False),
        ("def f(): return vars(args)", False),
        ("class A:\n    def __init__(self, given): self.__dict__.update(given)", False),
        ("def eval(model): ...\neval(3)", False),
        ("vars()['unused']()", True),
        ("def f(): return globals()", True),
        ("import main\nvars(main)['unused']()", True),
        ("import main\nmain.__dict__['unused']()", True),
        ("import importlib\nvars(importlib.import_module('main'))", True),
        ("import sys\nhere = sys.modules[__name__]", True),
    ],
)
def test_attributes_of_an_object_are_no_names_of_a_module(
    context: MakeProgram, tmp_path: Path, line: str, looks: bool
) -> None:
    start = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
    start += "def run(): HERE\nrun()\n"
    text = f"{start}{line}\ndef unused(): HERE\n"
    analysed = context({"main.py": text})
    at = (tmp_path / "main.py").read_text().index("def unused")
    place = Place(str(tmp_path / "main.py"), at, at + 1)
    assert (analysed[UnusedDefinitions].around(place) is None) is looks
