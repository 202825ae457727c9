"""Formulas: numbers as arithmetic on lengths and other numbers that are not known."""

from __future__ import annotations

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.formulas import Formula, Formulas
from tests.analyses.control.programs import MakeProgram


def _asked(analysed: AnalysisContext) -> list[Formula] | None:
    """The formulas of the list that `ask(…)` is given."""
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    root = analysed.solver.root(call.scope)
    return analysed[Formulas].each_of(call.arguments[0].value, root)


_SHARES = "s = {'a': 0.6, 'b': 0.25}\n"
_ASK = "ask(list(a.values()))"
_RECORD = "import dataclasses\n@dataclasses.dataclass\nclass R:\n    a: int = 3\n    b: int = 2\n"
_TUPLE = "from typing import NamedTuple\nclass T(NamedTuple):\n    a: int = 3\n    b: int = 2\n"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("def f(x):\n    ask([int(len(x) * 0.9), round(len(x) / 4), -len(x) // 2])", [90, 25, -51]),
        ("def f(x):\n    n = len(x)\n    a = n - 1\n    ask((a, n - a))", [100, 1]),
        ("def f(x):\n    ask([int(len(x) * p) for p in (0.8, 0.1)])", [80, 10]),
        ("def f(x):\n    ask([len(x) // 4] * 3)", [25, 25, 25]),
        ("def f(x, k=2):\n    ask([max(len(x), k), min(k, 9)])", [101, 2]),
        ("def f(x):\n    n = [len(x), 1]\n    ask([sum(n)])", [102]),
        ("def f(x):\n    a = [len(x)]\n    a.append(1)\n    ask(a)", [101, 1]),
        ("def f(x):\n    a = []\n    for p in (2, 1):\n        a.append(p)\n    ask(a)", [2, 1]),
        ("def f(x):\n    ask([len(x)] + [1])", [101, 1]),
        ("def f(x):\n    k = 3\n    ask([k * n for n in range(1, k)])", [3, 6]),
        ("def f(x):\n    ask(tuple({'a': 1, 'b': len(x)}.values()))", [1, 101]),
        ("def f(x):\n    a = dict(a=1, b=2)\n    ask(list(a.values()))", [1, 2]),
        ("def f(x):\n    a = dict(a=1, b=2)\n    ask([*a.values()])", [1, 2]),
        (
            f"{_SHARES}def f(x):\n    a = {{k: int(p * len(x)) for k, p in s.items()}}\n    {_ASK}",
            [60, 25],
        ),
        (f"{_SHARES}def f(x):\n    ask([int(p * len(x)) for k, p in s.items()])", [60, 25]),
        ("def f(x):\n    ask([int(p * len(x)) for i, p in enumerate((0.6, 0.3))])", [60, 30]),
        (f"{_RECORD}def f(x):\n    ask(dataclasses.astuple(R()))", [3, 2]),
        (
            f"{_RECORD}def f(x):\n    r = R()\n    ask(list(dataclasses.asdict(r).values()))",
            [3, 2],
        ),
        (f"{_TUPLE}def f(x):\n    ask(T())", [3, 2]),
        ("def g(n):\n    return [n, n + 1]\ndef f(x):\n    ask(g(len(x)))", [101, 102]),
    ],
)
def test_numbers_are_computed(context: MakeProgram, text: str, numbers: list[int]) -> None:
    found = _asked(context({"main.py": f"import torch\n{text}\n"}))
    assert found is not None
    leaves = {leaf for formula in found for leaf in formula.leaves()}
    assert len([leaf for leaf in leaves if leaf.is_length]) == min(1, len(leaves))
    assert [formula.computed(dict.fromkeys(leaves, 101)) for formula in found] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, t):\n    a = len(x)\n    if t:\n        a = 1\n    ask([a])",
        "def f(x):\n    a = [len(x)]\n    ask(a)\n    a.append(1)",
        "def f(x, t):\n    a = [len(x)]\n    if t:\n        a.append(1)\n    ask(a)",
        "def f(x):\n    a = []\n    for p in (1,):\n     if p > 1:\n      a.append(p)\n    ask(a)",
        "def f(x):\n    a = [len(x)]\n    a.insert(0, 1)\n    ask(a)",
        "def f(x):\n    a = []\n    for p in (1, 2):\n        a.append(sum(a))\n    ask(a)",
        "def f(x, k):\n    ask([1 / k for _ in range(k)])",
        "def f(x):\n    d = dict(a=1)\n    d['b'] = 2\n    ask(d.values())",
        "def f(x):\n    a = [len(x), 1]\n    a[0] = 2\n    ask(a)",
        "def f(x):\n    ask([x.count(1)])",
        "def f(x):\n    ask([*x])",
    ],
)
def test_what_is_not_known(context: MakeProgram, text: str) -> None:
    assert _asked(context({"main.py": f"import torch\n{text}\n"})) is None


def test_a_default_is_named(context: MakeProgram) -> None:
    found = _asked(context({"main.py": "import torch\ndef f(x, k=2):\n    ask([len(x) * k])\n"}))
    assert found is not None
    assert found.pop().assumptions() == ("default of parameter `k`",)
