"""Backward slices: from a value to what it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest

from dlint.analyses.backward import Question, Slice
from dlint.analyses.context import AnalysisContext
from dlint.analyses.value_parts import (
    alternatives_of,
    certain_parts,
    origin_of,
    parts_behind,
    parts_in_function,
)
from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext
from tests.analyses.control.programs import MakeProgram, scope_named

Texts = frozenset[str] | None
"""The texts that a value may be; None where it may be anything."""


CUT = """
def f(x):
    y = x
    return y
class C:
    def cut(self):
        self.x, self.y = f(self.x)
        ask(self.x)
"""


LATE = """
class A:
    def __init__(self):
        self.n = None
    def drop(self):
        self.n = None
    def late(self):
        if {test}:
            {then}
        ask(self.n)
"""


def _joined(found: Sequence[Texts]) -> Texts:
    return None if None in found else frozenset().union(*(one for one in found if one))


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> Texts:
    return frozenset({str(constant.value)})


def _of_binary(slice_: Slice[Texts], binary: ex.Binary, frame: CallContext) -> Texts:
    left, right = (slice_.of(side, frame) for side in (binary.left, binary.right))
    if left is None or right is None:
        return None
    return frozenset(a + b for a in left for b in right)


TEXTS: Question[Texts] = Question(None, _joined, {ex.Constant: _of_constant, ex.Binary: _of_binary})


def _asked(analysed: AnalysisContext) -> tuple[ex.Expression, CallContext]:
    """What `ask(…)` is given."""
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    return call.arguments[0].value, analysed.solver.root(call.scope)


def _texts(context: MakeProgram, text: str, **files: str) -> Texts:
    more = {f"{name}.py": body for name, body in files.items()}
    analysed = context({"main.py": f"import torch\n{text}", **more})
    return Slice(analysed, TEXTS).of(*_asked(analysed))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask('a')", "a"),
        ("x = 'a'\nask(x)", "a"),
        ("x = 'a'\ndef f():\n    ask(x)", "a"),
        ("def f(x):\n    ask(x)\nf('a')\nf('b')", "ab"),
        ("def f(x='d'):\n    ask(x)\nf('a')\nf()", "ad"),
        ("def f(x='d'):\n    ask(x)", "d"),
        ("def f(x):\n    ask(x)", None),
        ("def f(*x):\n    ask(x)\nf('a')", None),
        ("def f(x):\n    ask(x)\nf('a')\nf(*b)", None),
        ("ask('a' if t else 'b')", "ab"),
        ("ask(t or 'b')", None),
        ("ask('a' or 'b')", "ab"),
        ("if t:\n    x = 'a'\nelse:\n    x = 'b'\nask(x)", "ab"),
        ("x, y = 'a', 'b'\nask(y)", "b"),
        ("def f(x):\n    return x\nx = f(x)\nx, y = f(x)\nask(y)", None),
        (CUT, None),
        ("def f(n):\n    if n == 1: x = 'a'\n    elif n == 2: x = 'b'\n    ask(x)", "ab"),
        ("def f(n):\n    if n == 1: x = 'a'\n    if n == 2: x = 'b'\n    ask(x)", "ab"),
        ("def f(n):\n    global x\n    if n == 1: x = 'a'\n    ask(x)", None),
        ("x, *y = 'a', 'b'\nask(y)", None),
        ("x, y = pair\nask(y)", None),
        ("x, y = *pair, 'a'\nask(x)", None),
        ("def g(n):\n    return n\nask(g('a'))", "a"),
        ("def g(n):\n    if n: return 'a'\n    return n\nask(g('b'))", "ab"),
        ("def g(n):\n    yield n\nask(g('a'))", None),
        ("def g(n):\n    return n\nh = t or g\nask(h('a'))", None),
        ("class A:\n    def name(self, n):\n        return n\nask(A().name('a'))", "a"),
        ("class A:\n    def __init__(self):\n        self.n = 'a'\na = A()\nask(a.n)", "a"),
        ("ask(a.n)", None),
        ("x = 'a'\nfor i in t:\n    x = x + 'b'\nask(x)", None),
        ("x = 'a'\nfor i in t:\n    if i:\n        x = 'b'\nask(x)", "ab"),
        ("x = 'a'\nfor i in t:\n    if i:\n        ask(x)\n        x = 'b'", "ab"),
        ("x = 'a'\nfor i in t:\n    for j in i:\n        if j:\n            x = 'b'\nask(x)", "ab"),
        ("x = 'a'\nfor i in t:\n    if i:\n        x = t\nask(x)", None),
        (LATE.format(test="self.n is None", then="self.n = 'a'"), "a"),
        (LATE.format(test="not self.n", then="with t:\n                self.n = 'a'"), "a"),
        (LATE.format(test="self.n is None", then="self.n = t"), None),
        (LATE.format(test="self.n is None", then="if t: self.n = 'a'"), ["None", "a"]),
        (LATE.format(test="t", then="self.n = 'a'"), ["None", "a"]),
        (
            LATE.format(test="self.n is None", then="self.n = 'a'\n        self.drop()"),
            ["None", "a"],
        ),
        ("d = {'x': 'a', 'y': 'b'}\ndef f(k):\n    return d[k]\nask(f('y'))", "b"),
        ("d = {'x': 'a', 'y': 'b'}\ndef f(k='x'):\n    return d[k]\nask(f())", None),
        ("d = {'x': 'a'}\nd['y'] = t\ndef f(k):\n    return d[k]\nask(f('x'))", None),
        ("d = {'x': 'a', 'y': 'b'}\ndef f(k):\n    return d[k]\nask(f(t))", None),
        ("from other import NAME\nask(NAME)", "z"),
        ("from other import MISSING\nask(MISSING)", None),
        ("import other\nask(other.NAME)", "z"),
        ("import other as o\ndef f():\n    ask(o.NAME)", "z"),
        ("import other\nother.NAME = 'a'\nask(other.NAME)", "az"),
        ("import other\nother.NAME = t\nask(other.NAME)", None),
        ("import other\nx = t\nx.NAME = 'a'\nask(other.NAME)", "z"),
        ("import other\nask(other.MISSING)", None),
        ("ask(unknown)", None),
        ("ask(t[0])", None),
        ("class A:\n    @property\n    def n(self):\n        return 'a'\na = A()\nask(a.n)", "a"),
        ("class A:\n    @property\n    def n(self):\n        return 'a'\nask(A().n)", "a"),
        ("class A:\n    def n(self):\n        return 'a'\na = A()\nask(a.n)", None),
        ("def g():\n    return 'a', 'b'\nx, y = g()\nask(y)", "b"),
        ("def g():\n    if t: return 'a', 'b'\n    return 'c', 'd'\nx, y = g()\nask(y)", "bd"),
        ("def g():\n    if t: return 'a', 'b'\n    return t\nx, y = g()\nask(y)", None),
        ("pair = 'a', 'b'\nx, y = pair\nask(x)", "a"),
        ("pair = 'a', 'b'\nask(pair[1])", "b"),
        ("pair = ['a', 'b']\npair[1] = 'c'\nask(pair[1])", None),
        ("names = {'k': 'a', 'l': 'b'}\nask(names['l'])", "b"),
        ("names = {'k': 'a', **t}\nask(names['k'])", None),
        ("names = {'k': 'a'}\nnames['k'] = 'c'\nask(names['k'])", None),
        ("names = {'k': 'a'}\nask(names['m'])", None),
        ("class A:\n    def __init__(self):\n        self.n = ('a', 'b')\nask(A().n[0])", None),
    ],
)
def test_steps_that_all_questions_share(
    context: MakeProgram, text: str, found: Iterable[str] | None
) -> None:
    known = _texts(context, text, other="NAME = 'z'\n")
    assert known == (None if found is None else frozenset(found))


def test_the_table_says_what_an_operation_does(context: MakeProgram) -> None:
    assert _texts(context, "x = 'a' if t else 'b'\nask(x + 'c')") == {"ac", "bc"}
    assert _texts(context, "ask('a' - t)") is None


def test_what_is_too_far_is_not_known(context: MakeProgram) -> None:
    chain = "\n".join(f"x{n + 1} = x{n}" for n in range(60))
    assert _texts(context, f"x0 = 'a'\n{chain}\nask(x10)") == {"a"}
    assert _texts(context, f"x0 = 'a'\n{chain}\nask(x60)") is None


def test_recursion_ends(context: MakeProgram) -> None:
    assert _texts(context, "def g(n):\n    return g(n + 'a')\nask(g('b'))") is None


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("ask(wanted())", True),
        ("x = wanted()\nask([x])", True),
        ("ask(wanted() if t else 1)", False),
        ("ask(t and wanted())", False),
        ("if t:\n    x = wanted()\nelse:\n    x = 1\nask(x)", False),
        ("def f(x):\n    ask(x)\nf(wanted())", True),
        ("def f(x):\n    ask(x)\nf(wanted())\nf(1)", False),
        ("ask([wanted() for y in t])", False),
        ("ask(wanted().part)", False),
        ("ask(wanted().map(f))", True),
        ("x = wanted()\nask(x.map(f).filter(f))", True),
        ("def g():\n    return wanted()\nask(g())", True),
        ("class A:\n    def g(self):\n        return wanted()\nask([A().g()])", True),
        ("def g(x):\n    return x\ndef h():\n    return g(wanted())\nask(h())", True),
        ("def g(t):\n    if t:\n        return wanted()\n    return 1\nask(g(t))", False),
        ("def g():\n    yield wanted()\nask(g())", False),
    ],
)
def test_certain_parts(context: MakeProgram, text: str, certain: bool) -> None:
    analysed = context(f"import torch\n{text}\n")
    parts = [part for part, _ in certain_parts(analysed, *_asked(analysed))]
    assert any(isinstance(p, ex.Call) and p.name == "wanted" for p in parts) is certain


@pytest.mark.parametrize(
    "text",
    [
        "ask(wanted)",
        "x = [wanted]\nask(x)",
        "def f(x):\n    ask(x)\nf(wanted)",
        "def g():\n    return wanted\nask(g())",
        "class A:\n    def __init__(self):\n        self.n = wanted\na = A()\nask(a.n)",
        "ask(1 if t else wanted)",
    ],
)
def test_all_that_a_value_may_be_made_of(context: MakeProgram, text: str) -> None:
    analysed = context(f"import torch\n{text}\n")
    parts = parts_behind(analysed, *_asked(analysed))
    assert any(isinstance(p, ex.Reference) and p.name == "wanted" for p in parts)


def test_each_part_is_looked_behind_once(context: MakeProgram) -> None:
    names = ["rank", *(f"x{number}" for number in range(5))]
    steps = "\n".join(
        f"    {name} = {' + '.join([before] * 20)}" for before, name in pairwise(names)
    )
    made = context(
        f"def share(rank):\n{steps}\n    return take({names[-1]})\n\n\nshare(other_rank)\n"
    )
    scope = scope_named(made, "share")
    (result,) = scope.returns
    assert isinstance(result, ex.Call)
    root = made.solver.root(scope)
    given = result.arguments[0].value

    def names(deep: int) -> list[str]:
        parts = parts_behind(made, given, root, deep)
        return [part.name for part in parts if isinstance(part, ex.Reference)]

    assert len(names(8)) < 400
    assert "other_rank" in names(8)
    assert "other_rank" not in names(3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 'a'\ny = x\nask(y)", ["a"]),
        ("ask('a' if t else 'b')", ["a", "b"]),
        ("if t:\n    x = 'a'\nelse:\n    x = 'b'\ny = x\nask(y)", ["a", "b"]),
        ("x = 'a'\nfor i in t:\n    ask(x)\n    x = 'b'", ["a", "b"]),
        ("x = 'a'\nfor i in t:\n    ask(x)\n    x = x", ["a"]),
    ],
)
def test_what_an_expression_may_be_in_its_function(
    context: MakeProgram, text: str, found: list[str]
) -> None:
    asked, _ = _asked(context(f"import torch\n{text}\n"))
    values = [each.value for each in alternatives_of(asked) if isinstance(each, ex.Constant)]
    assert sorted(map(str, values)) == found


def test_what_a_name_goes_back_to(context: MakeProgram) -> None:
    asked, _ = _asked(context("import torch\nx = wanted()\ny = x\nask(y)\n"))
    origin = origin_of(asked)
    assert isinstance(origin, ex.Call)
    assert origin.name == "wanted"
    assert origin_of(origin) is origin


def test_parts_in_the_function(context: MakeProgram) -> None:
    text = "def f(x):\n    y = [g(x)]\n    ask(y)\nf(wanted)\ndef g(x):\n    return other\n"
    asked, _ = _asked(context(f"import torch\n{text}"))
    parts = list(parts_in_function(asked))
    assert any(isinstance(part, ex.Parameter) for part in parts)
    names = {part.name for part in parts if isinstance(part, ex.Reference)}
    assert {"y", "x", "g"} <= names
    assert not names & {"wanted", "other"}
