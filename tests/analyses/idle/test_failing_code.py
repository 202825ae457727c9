"""Which places lie behind a statement that certainly fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dlint
from dlint.analyses.idle import ways
from dlint.analyses.idle.failing_code import FailingCode
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram
from tests.ends import calls_in

BEHIND = {
    "a name that nothing binds": "rows = coco.Rows()\nHERE\n",
    "such a name in what is called": "HERE(nowhere())\n",
    "beside what another module holds": (
        "import argparse\nimport shared\nargs = argparse.Namespace()\n"
        "args.run = shared.__dict__['run']\nlen(vars(args))\n"
        "setattr(args, 'coco', 1)\nrows = coco.Rows()\nHERE\n"
    ),
    "in a branch": "if test:\n    rows = coco.Rows()\n    HERE\nelse:\n    pass\n",
    "inside another block": "coco.Rows()\nfor x in y:\n    with x:\n        HERE\n",
    "a test that fails": "if coco.Rows():\n    pass\nHERE\n",
    "a keyword that nothing takes": "def f(a): ...\nf(1, b=2)\nHERE\n",
    "too many": "def f(a): ...\nf(1, 2)\nHERE\n",
    "too few": "def f(a, *, b): ...\nf(1)\nHERE\n",
    "a class": "class A:\n    def __init__(self, a): ...\nA()\nHERE\n",
    "a method": "class A:\n    def f(self, a): ...\nA().f()\nHERE\n",
    "the end of the program": "import sys\nsys.exit(1)\nHERE\n",
    "a name that is only read": "path = f'{coco}/rows'\nHERE\n",
    "an item of such a name": "for row in coco.rows[0]:\n    HERE\n",
    "a name of another function": "def g(path): ...\ndef f():\n    print(path)\n    HERE\n",
    "a local name of another function": (
        "def g():\n    path = 1\ndef f():\n    print(path)\n    HERE\n"
    ),
    "an option that no parser knows": (
        "import argparse\nparser = argparse.ArgumentParser()\nargs = parser.parse_args()\n"
        "if args.rows:\n    pass\nHERE\n"
    ),
    "a method that a class lacks": "class A: ...\nA.run(1)\nHERE\n",
    "a name that a module lacks": "import shared\nshared.nowhere(1)\nHERE\n",
    "a key that no dict has": "def f():\n    d = {'a': 1}\n    print(d['b'])\n    HERE\n",
    "a name that is bound later": "def f():\n    print(path)\n    HERE\n    path = 1\n",
    "bound in the other branch": (
        "def f():\n    if test:\n        make(path)\n        HERE\n    else:\n        path = 1\n"
    ),
    "a name that the module binds later": "print(path)\nHERE\npath = 1\n",
    "bound in a later block": "print(path)\nHERE\nif test:\n    path = 1\n",
    "deleted, and bound again": "path = 1\ndel path\nprint(path)\nHERE\npath = 2\n",
    "too many values": "def f(): return 1, 2, 3\na, b = f()\nHERE\n",
    "too few of each return": (
        "def f(x):\n    if x:\n        return 1, 2\n    return 3, 4\na, (b, c), d = f(test)\nHERE\n"
    ),
    "too few beside a star": "def f(): return 1, 2\na, b, c, *d = f()\nHERE\n",
    "too many by another function": (
        "def g(): return 1, 2, 3\ndef f(): return g()\na, b = f()\nHERE\n"
    ),
    "too many either way": (
        "def f(x):\n    y = (1, 2, 3) if x else (1,)\n    return y\na, b = f(test)\nHERE\n"
    ),
    "nothing returned": "def f(): test()\na, b = f()\nHERE\n",
    "an object": "class A: ...\ndef f(): return A()\na, b = f()\nHERE\n",
    "the object of a network": (
        "import torch\nclass A(torch.nn.Module): ...\n"
        "def f(): return A()\ntest.a, test.b = f()\nHERE\n"
    ),
    "a data set": (
        "from torchvision.datasets import CIFAR10\nclass A(CIFAR10):\n"
        "    def __getitem__(self, i): ...\ndef f(): return A(test)\na, b, c = f()\nHERE\n"
    ),
    "of a method": ("class A:\n    def f(self): return 1, 2\na, b, c = A().f()\nHERE\n"),
    "a constructor that raises": (
        "class A:\n    def __init__(self, a):\n        self.a = a\n        raise ValueError(a)\n"
        "A(1)\nHERE\n"
    ),
    "a constructor inherited that raises either way": (
        "class A:\n    def __init__(self, a):\n        if a:\n            raise ValueError(a)\n"
        "        else:\n            raise TypeError\nclass B(A): ...\nb = B(test)\nHERE\n"
    ),
    "a function that raises": "def f(*a): raise ValueError(a)\nf(*test)\nHERE\n",
    "a function that ends the program": (
        "import sys\ndef f():\n    test()\n    sys.exit()\nif test:\n    f()\n    HERE\n"
    ),
    "a method that raises": (
        "class A:\n    def f(self): raise ValueError\na = A()\ntest(a.f())\nHERE\n"
    ),
    "a function called from there": "def g():\n    HERE\ncoco.Rows()\ng()\n",
    "a function made there": "coco.Rows()\ndef g():\n    HERE\n",
}
NOT_BEHIND = {
    "what a program runs before it ends": (
        "import sys\ndef main():\n    HERE\nif test:\n    sys.exit(main())\n"
    ),
    "given to the end of the program": "import sys\nsys.exit(run(HERE))\n",
    "what raises in the end": "def main():\n    HERE\n    raise SystemExit(0)\nmain()\n",
    "given to what raises in the end": (
        "def main(x):\n    x()\n    raise SystemExit(0)\nmain(HERE)\n"
    ),
    "what is unpacked wrongly in the end": ("def f():\n    HERE\n    return 1, 2, 3\na, b = f()\n"),
    "before it": "HERE\ncoco.Rows()\n",
    "a name that is bound": "import coco\ncoco.Rows()\nHERE\n",
    "a name that a function binds": (
        "def g():\n    global coco\n    coco = 1\ndef f():\n    coco.Rows()\n    HERE\n"
    ),
    "a name of the function around": (
        "def g(path):\n    def f():\n        print(path)\n        HERE\n"
    ),
    "a name of the module, bound later": "def f():\n    print(path)\n    HERE\npath = 1\n",
    "bound in another round": (
        "def f():\n    for x in y:\n        if x:\n            print(path)\n            HERE\n"
        "        path = 1\n"
    ),
    "bound in one of two branches": (
        "def f():\n    if test:\n        path = 1\n    print(path)\n    HERE\n"
    ),
    "a name of the module": (
        "path = 0\ndef f():\n    global path\n    print(path)\n    HERE\n    path = 1\n"
    ),
    "a name of the module bound in an earlier round": (
        "for x in y:\n    if x:\n        print(path)\n        HERE\n    path = 1\n"
    ),
    "a name of the module that a function binds": (
        "def f():\n    global path\n    path = 0\nf()\nprint(path)\nHERE\npath = 1\n"
    ),
    "a name of python, bound later": "print(input)\nHERE\ninput = 1\n",
    "cells": "# %%\nprint(path)\nHERE\n# %%\npath = 1\n",
    "a function that reads what is bound later": "def f():\n    print(path)\n    HERE\npath = 1\n",
    "as many values": "def f(): return 1, 2\na, b = f()\nHERE\n",
    "as many of one return": (
        "def f(x):\n    if x:\n        return 1, 2\n    return 1, 2, 3\na, b = f(test)\nHERE\n"
    ),
    "some of many": "def f(): return 1, 2, 3\na, *b = f()\nHERE\n",
    "a list that is added to": (
        "def f():\n    x = [1]\n    x.append(2)\n    return x\na, b = f()\nHERE\n"
    ),
    "a part of a tuple": ("def f():\n    x = 1, 2, 3\n    return x[:2]\na, b = f()\nHERE\n"),
    "a tuple that is added to": (
        "def f():\n    x = (1,)\n    x += (2,)\n    return x\na, b = f()\nHERE\n"
    ),
    "as many of one side": (
        "def f(x):\n    y = (1, 2) if x else (1,)\n    return y\na, b = f(test)\nHERE\n"
    ),
    "a function that calls itself": (
        "def f(x):\n    return f(x - 1) if x else fill(x)\na, b = f(test)\nHERE\n"
    ),
    "an unpacked tuple": "def f(x): return 1, *x\na, b, c = f(test)\nHERE\n",
    "what another module gives": "def f(): return test()\na, b = f()\nHERE\n",
    "a generator": "def f(): yield 1, 2, 3\na, b = f()\nHERE\n",
    "one value for one name": "def f(): return 1, 2\na = f()\nHERE\n",
    "of a decorator": "@fill\ndef f(): return 1, 2, 3\na, b = f()\nHERE\n",
    "an object that says how": (
        "class A:\n    def __iter__(self): ...\ndef f(): return A()\na, b = f()\nHERE\n"
    ),
    "an object with items": (
        "class A:\n    def __getitem__(self, i): ...\ndef f(): return A()\na, b = f()\nHERE\n"
    ),
    "an object of a class that is not known": (
        "class A(test): ...\ndef f(): return A()\na, b = f()\nHERE\n"
    ),
    "an object of a library": (
        "from typing import NamedTuple\nclass A(NamedTuple):\n    x: int\n    y: int\n"
        "def f(): return A(1, 2)\na, b = f()\nHERE\n"
    ),
    "networks in a row": (
        "import torch\nclass A(torch.nn.Sequential): ...\ndef f(): return A()\na, b = f()\nHERE\n"
    ),
    "a data set of another length": (
        "from torchvision.datasets import CIFAR10\nclass A(CIFAR10):\n"
        "    def __len__(self): return 2\ndef f(): return A(test)\na, b = f()\nHERE\n"
    ),
    "a method that subclasses may have": (
        "class A:\n    def f(self): return 1, 2\n    def g(self):\n"
        "        a, b, c = self.f()\n        HERE\n"
    ),
    "bound by a loop": "def f():\n    for x in y:\n        print(x)\n        HERE\n",
    "bound where it is read": (
        "def f():\n    if (n := len(y)) > 1:\n        print(n)\n        HERE\n"
    ),
    "taken by a handler": (
        "def f():\n    try:\n        len(y)\n    except E as e:\n        print(e)\n        HERE\n"
    ),
    "a member of a class": "class A:\n    x = 1\n    y = x\n    HERE\n",
    "what python binds": "print(__file__, len, NotImplemented)\nHERE\n",
    "the other branch": "if test:\n    coco.Rows()\nelse:\n    HERE\n",
    "behind the branch": "if test:\n    coco.Rows()\nHERE\n",
    "where the failure is caught": "try:\n    coco.Rows()\nexcept NameError:\n    HERE\n",
    "behind one that is caught": "try:\n    coco.Rows()\nfinally:\n    pass\nHERE\n",
    "the end of a branch": "if test:\n    quit()\nHERE\n",
    "perhaps": "x = test and coco.Rows()\nHERE\n",
    "in a comprehension": "x = [coco.Rows() for x in y]\nHERE\n",
    "names made by text": "globals()['coco'] = 1\ncoco.Rows()\nHERE\n",
    "names of the module": "vars().update(coco=1)\ncoco.Rows()\nHERE\n",
    "names of one module of all": (
        "import sys\nsys.modules[__name__].coco = 1\ncoco.Rows()\nHERE\n"
    ),
    "names set on itself": (
        "import sys\nsetattr(sys.modules[__name__], 'coco', 1)\ncoco.Rows()\nHERE\n"
    ),
    "names put into what a module holds": (
        "import sys\nsys.modules['main'].__dict__['coco'] = 1\ncoco.Rows()\nHERE\n"
    ),
    "names put into what a call gives": (
        "import inspect\ndef f(): ...\ninspect.getmodule(f).__dict__['coco'] = 1\n"
        "coco.Rows()\nHERE\n"
    ),
    "a name for all": "import builtins\nbuiltins.coco = 1\ncoco.Rows()\nHERE\n",
    "a name for all under another name": (
        "import builtins as b\nsetattr(b, 'coco', 1)\ncoco.Rows()\nHERE\n"
    ),
    "names of another module": "from rows import *\ncoco.Rows()\nHERE\n",
    "any keyword": "def f(a, **k): ...\nf(1, b=2)\nHERE\n",
    "unpacked": "def f(a): ...\nf(*x)\nHERE\n",
    "a decorator": "@fill\ndef f(a): ...\nf()\nHERE\n",
    "one of two": "if test:\n    def f(a): ...\nelse:\n    def f(): ...\nf()\nHERE\n",
    "raises under a test": (
        "class A:\n    def __init__(self, a):\n        if a:\n            raise ValueError\n"
        "A(test)\nHERE\n"
    ),
    "raises, and is caught": (
        "def f():\n    try:\n        raise ValueError\n    except ValueError:\n        pass\n"
        "f()\nHERE\n"
    ),
    "caught where it is called": (
        "def f(): raise ValueError\ntry:\n    f()\nexcept ValueError:\n    pass\nHERE\n"
    ),
    "raises later": "def f():\n    yield 1\n    raise ValueError\nx = f()\nHERE\n",
    "still to be written": "def f():\n    raise NotImplementedError\nf()\nHERE\n",
    "raises unless a subclass says otherwise": (
        "class A:\n    def f(self): raise ValueError\n"
        "    def g(self):\n        self.f()\n        HERE\n"
    ),
    "one of two raises": (
        "if test:\n    def f(): raise ValueError\nelse:\n    def f(): ...\nf()\nHERE\n"
    ),
    "made by another": (
        "class A:\n    def __new__(cls): ...\n    def __init__(self, a): ...\nA()\nHERE\n"
    ),
    "what subclasses may take": (
        "class A:\n    def f(self, a): ...\n    def g(self):\n        self.f()\n        HERE\n"
    ),
    "another call": "def g():\n    HERE\ng()\ncoco.Rows()\ng()\n",
}


@pytest.mark.parametrize("text", BEHIND.values(), ids=BEHIND)
def test_what_stands_behind_does_not_run(text: str, context: MakeProgram, tmp_path: Path) -> None:
    assert _fails(text, context, tmp_path / "main.py")


@pytest.mark.parametrize("text", NOT_BEHIND.values(), ids=NOT_BEHIND)
def test_what_may_run(text: str, context: MakeProgram, tmp_path: Path) -> None:
    assert not _fails(text, context, tmp_path / "main.py")


@pytest.mark.parametrize(
    ("last", "is_behind"), [("", False), ("if __name__ == '__main__':\n    print()\n", True)]
)
def test_what_stands_alone_may_be_a_part(
    context: MakeProgram, tmp_path: Path, last: str, is_behind: bool
) -> None:
    text = "coco.Rows()\nprint()\n"
    place = Place(str(tmp_path / "main.py"), len("coco.Rows()\n"), len(text))
    assert (context(text + last)[FailingCode].before(place) is not None) is is_behind


@pytest.mark.parametrize(
    ("text", "is_behind"), [("def f(): ...\nf('main')\n", True), ("import main\nmain.f()\n", False)]
)
def test_notebooks_may_call_what_they_take(
    context: MakeProgram, tmp_path: Path, text: str, is_behind: bool
) -> None:
    written = "def f():\n    print()\ncoco.Rows()\nf()\n"
    analysed = context({"main.py": f"import shared\n{written}", "shared.py": ""})
    (tmp_path / "test_f.py").write_text(text)
    analysed.project.bystanders = lambda: [str(tmp_path / "test_f.py")]
    at = len("import shared\n") + written.index("print")
    place = Place(str(tmp_path / "main.py"), at, at + len("print()"))
    assert (analysed[FailingCode].before(place) is not None) is is_behind


def test_cells_run_in_any_order(tmp_path: Path) -> None:
    cell = """\
import torch
from torch.utils.data import DataLoader, RandomSampler
rows = coco.Rows()
loader = DataLoader(rows, shuffle=True, sampler=RandomSampler(rows))
"""
    cells = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []}]
    (tmp_path / "a.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    (tmp_path / "a.py").write_text(f"import b\n{cell}")
    (tmp_path / "b.py").write_text(cell)
    found = {f.location.path.suffix: f.severity for f in dlint.check([tmp_path]).findings}
    assert found == {".ipynb": "error"}


@pytest.mark.parametrize(("before", "names"), [("rows = 1", {"a.py", "b.py"}), ("", set[str]())])
def test_nothing_is_said_of_it(before: str, names: set[str], tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(
        "from torch.utils.data import Dataset\n\n\n"
        "class Rows(Dataset):\n    def __getitem__(self, index):\n"
        "        print(index)\n        return None\n"
    )
    (tmp_path / "a.py").write_text(f"""\
import torch
from torch.utils.data import DataLoader
from b import Rows
{before}
print(rows)
model = torch.nn.Linear(2, 2)
with torch.no_grad():
    for batch in DataLoader(Rows(), shuffle=True):
        print(model(batch))
""")
    found = dlint.check([tmp_path], dlint.Settings(select=("ALL",))).findings
    assert {f.location.path.name for f in found} == names


def test_the_same_way_is_looked_at_once(context: MakeProgram, tmp_path: Path) -> None:
    text = "def f():\n" + "    print()\n" * 100
    failing, file = context(text)[FailingCode], str(tmp_path / "main.py")
    place = Place(file, len(text) - len("print()\n"), len(text) - 1)
    assert failing.before(place) is None
    assert calls_in(lambda: failing.before(place)) < 100


_SHARED = "from shared import E, fill, test, x, y\n"


def test_files_that_hold_a_name_are_read_for_what_is_closed_alone(
    context: MakeProgram, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def note(_: object, name: str, path: str) -> bool:
        asked.append(f"{name} of {Path(path).name}")
        return False

    monkeypatch.setattr(ways._Handed, "is_handed_on", note)
    assert not _fails("def g():\n    HERE\ng()\ncoco.Rows()\n", context, tmp_path / "main.py")
    assert not asked
    assert _fails("coco.Rows()\ndef f():\n    HERE\nf()\n", context, tmp_path / "main.py")
    assert _fails(BEHIND["a function called from there"], context, tmp_path / "main.py")
    assert asked == ["g of main.py"]


def _fails(text: str, context: MakeProgram, file: Path) -> bool:
    written = text if "HERE(" in text else text.replace("HERE", "HERE()")
    written = written.replace("HERE", "print")
    at = len(_SHARED) + written.index("print(")
    place = Place(str(file), at, at + len("print"))
    files = {file.name: f"{_SHARED}{written}", "shared.py": "E = fill = test = x = y = None\n"}
    return context(files)[FailingCode].before(place) is not None
