"""Options that no parser declares: reading one raises, and what stands behind it does not run."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dlint.analyses.control.absent_options import absent_option
from dlint.ir import expressions as ex
from dlint.ir import walk
from tests.analyses.control.programs import MakeProgram

PARSER = "import argparse\nparser = argparse.ArgumentParser('x')\n"
ROWS = "parser.add_argument('--rows')\n"
ASKED = "args = parser.parse_args()\n"
HERE = "print(args.cols)\n"

ABSENT = {
    "of one parser": PARSER + ROWS + ASKED + HERE,
    "in a group": PARSER
    + "g = parser.add_argument_group('g')\ng.add_argument('-r')\n"
    + ASKED
    + HERE,
    "in a function that is handed the options": (
        "def f(args):\n    " + HERE + PARSER + ROWS + ASKED + "f(args)\n"
    ),
    "beside a name that is looked up": (
        PARSER + ROWS + ASKED + "things.__dict__[args.rows](1)\n" + HERE
    ),
    "asked at once": PARSER + ROWS + "args = parser.parse_args([])\n" + HERE,
}
PRESENT = {
    "declared": PARSER + "parser.add_argument('--cols')\n" + ASKED + HERE,
    "declared by another name": PARSER + "parser.add_argument('-c', dest='cols')\n" + ASKED + HERE,
    "preset": PARSER + "parser.set_defaults(cols=1)\n" + ASKED + HERE,
    "preset by a dict": PARSER + "parser.set_defaults(**d)\n" + ASKED + HERE,
    "written": PARSER + ASKED + "args.cols = 1\n" + HERE,
    "written by its name": PARSER + ASKED + "setattr(args, 'cols', 1)\n" + HERE,
    "written by a key": PARSER + ASKED + "vars(args)[key] = 1\n" + HERE,
    "updated": PARSER + ASKED + "vars(args).update(d)\n" + HERE,
    "handed on": PARSER + "fill(parser)\n" + ASKED + HERE,
    "of another name for it": PARSER + "p = parser\np.add_argument('--' + name)\n" + ASKED + HERE,
    "computed": PARSER + "for n in names:\n    parser.add_argument('--' + n)\n" + ASKED + HERE,
    "of parents": (
        "import argparse\nparser = argparse.ArgumentParser(parents=[base])\n" + ASKED + HERE
    ),
    "of another class": "import tools\nparser = tools.ArgumentParser()\n" + ASKED + HERE,
    "of commands": PARSER + "parser.add_subparsers()\n" + ASKED + HERE,
    "kept in an object": PARSER + "args = parser.parse_args(namespace=old)\n" + HERE,
    "one of two": PARSER + ASKED + "if test:\n    args = load()\n" + HERE,
    "of the namespace": PARSER + ASKED + "print(args.__dict__)\n",
    "of the dict that it is": PARSER + ASKED + "print(vars(args).items())\n",
}


def _read(make: MakeProgram, text: str | Mapping[str, str]) -> str | None:
    context = make(text)
    found = [
        absent_option(context, scope, part)
        for facts in context.modules
        for scope in facts.module.scopes
        for part in walk.parts(scope.body)
        if isinstance(part, ex.Attribute) and part.name in ("cols", "items", "__dict__")
    ]
    return found[-1]


@pytest.mark.parametrize("text", ABSENT.values(), ids=ABSENT)
def test_absent(context: MakeProgram, text: str) -> None:
    assert _read(context, text) == "`cols` is no option of the parser"


@pytest.mark.parametrize("text", PRESENT.values(), ids=PRESENT)
def test_present_or_not_known(context: MakeProgram, text: str) -> None:
    assert _read(context, text) is None


def test_options_that_another_module_puts_anew(context: MakeProgram) -> None:
    options = PARSER + ROWS + "def ask():\n    return parser.parse_args()\n"
    text = "from options import ask\nargs = ask()\n{0}print(args.cols)\n"
    plain, anew = (
        {"main.py": text.format(between), "options.py": options}
        for between in ("", "args.__dict__ = load()\n")
    )
    assert _read(context, plain) == "`cols` is no option of the parser"
    assert _read(context, anew) is None
