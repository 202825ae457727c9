"""What names stand for: across files, and without any value flowing."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated, evaluator_for, questions, shown

ONE = "SIZE = 3\ndef f(): ...\nclass C:\n    part = f\n    def m(self): ...\n"
IMPORTS = {
    "a module": ("import one\nreveal(one)", {"module one.py"}),
    "a member": ("from one import f\nreveal(f)", {"function f"}),
    "under another name": ("from one import f as g\nreveal(g)", {"function f"}),
    "a class": ("from one import C\nreveal(C)", {"class C"}),
    "all of a module": ("from one import *\nreveal(f)", {"function f"}),
    "all of several modules": (
        "from stars import *\nfrom star import *\nfrom stars import *\nreveal(f)",
        {"function f"},
    ),
    "all of two with one name": (
        "from number import *\nfrom one import *\nreveal(f)",
        {"function f"},
    ),
    "the last of two": ("from one import *\nfrom number import *\nreveal(f)", {"5"}),
    "all of a module that takes all": ("from star import *\nreveal(f)", {"function f"}),
    "through another module": ("from via import g\nreveal(g)", {"function f"}),
    "a package": ("import pack\nreveal(pack)", {"module pack/__init__.py"}),
    "a module of a package": ("from pack import inner\nreveal(inner)", {"module pack/inner.py"}),
    "what a package hands on": ("from pack import deep\nreveal(deep)", {"function deep"}),
    "a folder": ("import space\nreveal(space)", {"package space"}),
    "a module in a folder": ("from space import inside\nreveal(inside.X)", {"5"}),
    "a name that a module lacks": ("from one import none\nreveal(none)", {"one.none"}),
    "a library": (
        "import torch.utils.data as D\nreveal(D.DataLoader)",
        {"torch.utils.data.DataLoader"},
    ),
    "all of torch": (
        "from torch.utils.data import *\nreveal(DataLoader)",
        {"torch.utils.data.DataLoader"},
    ),
    "all of torch holds no small name": ("from torch.nn import *\nreveal(other)", {"?"}),
    "one of two": (
        "try:\n    from one import f\nexcept ImportError:\n    f = None\nreveal(f)",
        {"function f", "None"},
    ),
    "a global that a function sets": (
        "N = 1\ndef g():\n    global N\n    N = 2\ndef h():\n    reveal(N)",
        {"1", "2"},
    ),
}
FILES = {
    "one.py": ONE,
    "star.py": "from one import *\n",
    "stars.py": "from pack import *\nfrom stars import *\n",
    "number.py": "f = 5\n",
    "via.py": "from one import f as g\n",
    "pack/__init__.py": "from .inner import deep\n",
    "pack/inner.py": "def deep(): ...\n",
    "space/inside.py": "X = 5\n",
}


@pytest.mark.parametrize(("text", "expected"), IMPORTS.values(), ids=IMPORTS)
def test_names_across_files(text: str, expected: set[str]) -> None:
    assert denoted({**FILES, "main.py": text}) == [expected]


def test_relative_imports_stay_in_the_project() -> None:
    files = {
        "pack/__init__.py": "",
        "pack/a.py": "from . import b\nfrom .b import f\nfrom .none import g\n"
        "reveal(b)\nreveal(f)\nreveal(g)",
        "pack/b.py": "def f(): ...",
    }
    assert denoted(files) == [{"module pack/b.py"}, {"function f"}, {"?"}]


@pytest.mark.parametrize(
    "use",
    [
        "import pack\nreveal(pack.inner.f)",
        "from pack import inner\nreveal(inner.f)",
        "import pack.inner\nreveal(pack.inner.f)",
    ],
)
def test_a_package_that_imports_its_own_modules_hands_them_on(use: str) -> None:
    files = {
        "pack/__init__.py": "from . import inner\n",
        "pack/inner.py": "def f(): ...\n",
        "use.py": use,
    }
    assert denoted(files) == [{"function f"}]
    assert evaluated(files) == [{"function f"}]


def test_what_a_script_imports_from_itself() -> None:
    text = "def f(): ...\nclass C: ...\nN = 1\nfrom main import C as D\nreveal(D)"
    assert denoted(text) == [{"class C"}]


STATIC = {
    "a name": ("f", {"function f"}),
    "an attribute of a module": ("one.C", {"class C"}),
    "a method of a class": ("one.C.m", {"function m"}),
    "a class attribute": ("one.C.part", {"function f"}),
    "a generic class": ("one.C[int]", {"class C"}),
    "a choice": ("(f if u else one.C)", {"function f", "class C"}),
    "a library": ("torch.nn.Module", {"torch.nn.Module"}),
    "a builtin": ("print", {"builtins.print"}),
    "an outer function's": ("inner", {"function inner"}),
    "a joined name": ("joined", {"function f", "function inner"}),
    "a value": ("one.SIZE", set()),
    "a call": ("f()", set()),
    "an attribute of a value": ("one.SIZE.x", set()),
    "a lambda": ("(lambda: 1)", {"function <lambda>"}),
    "of a folder": ("space.inside", {"module space/inside.py"}),
    "not of a folder": ("space.none", set()),
}


@pytest.mark.parametrize(("asked", "expected"), STATIC.values(), ids=STATIC)
def test_names_without_evaluation(asked: str, expected: set[str]) -> None:
    text = f"""
import one, torch, space
from one import f
def outer(u):
    def inner(): ...
    if u:
        joined = f
    else:
        joined = inner
    def use():
        reveal({asked if asked != "joined" else "0"})
    reveal({asked})
"""
    evaluator = evaluator_for({**FILES, "main.py": text})
    call = questions(evaluator)[-1]
    found = evaluator.solver.names.static(call.arguments[0].value, call.scope)
    assert {shown(value) for value in found} == expected


def test_a_name_that_stands_for_itself_ends() -> None:
    files = {
        "a.py": "from b import x\n",
        "b.py": "from a import x\n",
        "main.py": "import a\nreveal(a.x)",
    }
    assert denoted(files) == [set()]


HEAD = """
class Entered:
    def __enter__(self):
        return 7
class Plain: ...
u = nobody
"""
FORMS = {
    "what a context gives": ("with Entered() as e:\n    reveal(e)", {"7"}),
    "what a generator context gives": (
        (
            "from contextlib import contextmanager\n@contextmanager\ndef c():\n    yield 6\n"
            "with c() as e:\n    reveal(e)"
        ),
        {"6"},
    ),
    "what a library's context gives": ("with open('a') as e:\n    reveal(e)", {"builtins.open()"}),
    "an object without a context": ("with Plain() as e:\n    reveal(e)", {"Plain()"}),
    "a text with something in it": ("reveal(f'cuda:{u}')", {"'cuda:…'"}),
    "a text that begins with something": ("reveal(f'{u}x')", {"?"}),
    "awaited": ("async def f():\n    reveal(await g())\nasync def g():\n    return 1", {"1"}),
    "what is sent": ("def f():\n    x = yield\n    reveal(x)", {"?"}),
    "a walrus": ("if (n := 3):\n    reveal(n)", {"3"}),
    "a part from the end": ("*a, b = [1, 2]\nreveal(b)", {"2"}),
    "what is left": ("a, *b = [1, 2]\nreveal(b)", {"[…]"}),
    "one of what is left": ("a, *b = [1, 2, 3]\nreveal(b[0])", {"2"}),
    "the last of what is left": ("a, *b = 1, 2, 3\nreveal(b[-1])", {"2", "3"}),
    "each of what is left": ("a, *b = [1, 2, 3]\nfor x in b:\n    reveal(x)", {"2", "3"}),
    "each of what is left of some": ("a, *b = [1, *u]\nfor x in b:\n    reveal(x)", {"1", "?"}),
    "what is left has no names": ("a, *b = [1, 2]\nreveal(b['x'])", {"?"}),
    "a value of named arguments, by its place": (
        "def f(**named):\n    reveal(list(named.values())[0])\nf(x=3)",
        {"3"},
    ),
    "a negative index": ("reveal([1, 2][-2])", {"1"}),
    "or": ("reveal(u or 3)", {"?", "3"}),
    "a comparison": ("reveal(1 < 2)", {"?"}),
    "a list in a list": ("reveal(((1, 2), 3)[0][1])", {"2"}),
}


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS)
def test_forms_of_expressions(text: str, expected: set[str]) -> None:
    assert denoted(HEAD + text) == [expected]
