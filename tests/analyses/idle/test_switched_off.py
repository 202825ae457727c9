"""Which places lie behind a test that no run of a program passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.idle.switched_off import SwitchedOff
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

START = 'if __name__ == "__main__":\n    main()\n'
OFF = {
    "a constant of the function": (
        "def main():\n    on = False\n    if on and step():\n        HERE\n"
    ),
    "a constant of the module": "ON = False\ndef main():\n    if ON:\n        HERE\n",
    "what every call leaves to the default": (
        "def make(ranks=False):\n    if not ranks:\n        pass\n    else:\n        HERE\n"
        "def main():\n    make()\n    make()\n"
    ),
    "a default that is compared": (
        "def make(mode='plain'):\n    if mode == 'ranks':\n        HERE\ndef main():\n    make()\n"
    ),
    "a function inside another": (
        "def make(ranks=False):\n    def inner():\n        if ranks:\n            HERE\n"
        "    inner()\ndef main():\n    make()\n"
    ),
    "a flag that is on whether it is given or not": (
        "import argparse\ndef main():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--on', action='store_true', default=True)\n"
        "    args = parser.parse_args()\n    if not args.on:\n        HERE\n"
    ),
    "a return before": "def main():\n    on = True\n    if on:\n        return\n    HERE\n",
    "of the name of an attribute": (
        "def used(args):\n    if args.used:\n        pass\n    HERE\n"
        "def main(args):\n    if False:\n        used(args)\n    main(args)\n"
    ),
    "called from there alone": (
        "def used():\n    HERE\ndef main():\n    on = False\n    if on:\n        used()\n"
    ),
    "a method of an object that is made there alone": (
        "class Ranks:\n    def __init__(self):\n        pass\n    def run(self):\n        HERE\n"
        "def main():\n    on = False\n    if on:\n        Ranks().run()\n"
    ),
}
ON = {
    "one call gives it": (
        "def make(ranks=False):\n    if ranks:\n        HERE\n"
        "def main():\n    make()\n    make(True)\n"
    ),
    "nobody calls it": (
        "def make(ranks=False):\n    if ranks:\n        HERE\ndef main():\n    pass\n"
    ),
    "an option": (
        "import argparse\ndef main():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--on', action='store_true')\n"
        "    args = parser.parse_args()\n    if args.on:\n        HERE\n"
    ),
    "bound again by a function": (
        "ON = False\ndef main():\n    global ON\n    ON = ask()\n    if ON:\n        HERE\n"
    ),
    "a method of an object that a subclass makes": (
        "class Ranks:\n    def __init__(self):\n        pass\n    def run(self):\n        HERE\n"
        "class More(Ranks):\n    pass\n"
        "def main():\n    if False:\n        Ranks().run()\n    More().run()\n"
    ),
    "a method without a constructor": (
        "class Ranks:\n    def run(self):\n        HERE\n"
        "def main():\n    if False:\n        Ranks().run()\n"
    ),
    "a class that is handed on": (
        "from lib import run\nclass Ranks:\n    def __init__(self):\n        pass\n"
        "    def go(self):\n        HERE\n"
        "def main():\n    run(Ranks)\n    if False:\n        Ranks().go()\n"
    ),
    "a function that is handed on": (
        "from lib import run\ndef used():\n    HERE\n"
        "def main():\n    run(used)\n    if False:\n        used()\n"
    ),
    "called from elsewhere too": (
        "def used():\n    HERE\ndef main():\n    if False:\n        used()\n    used()\n"
    ),
}


@pytest.mark.parametrize("text", OFF.values(), ids=OFF)
def test_nothing_passes_the_test(text: str, context: MakeProgram, tmp_path: Path) -> None:
    assert _is_off(text, context, tmp_path)


@pytest.mark.parametrize("text", ON.values(), ids=ON)
def test_something_may_come_there(text: str, context: MakeProgram, tmp_path: Path) -> None:
    assert not _is_off(text, context, tmp_path)


def test_what_others_may_call_is_not_asked(context: MakeProgram, tmp_path: Path) -> None:
    text = OFF["what every call leaves to the default"].replace(START, "")
    assert not _is_off(text, context, tmp_path, started=False)


def _is_off(text: str, context: MakeProgram, folder: Path, *, started: bool = True) -> bool:
    written = text.replace("HERE", "load()") + (START if started else "")
    at = written.index("load()")
    place = Place(str(folder / "main.py"), at, at + len("load()"))
    return context({"main.py": written})[SwitchedOff].around(place) is not None
