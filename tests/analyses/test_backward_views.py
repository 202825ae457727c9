"""Views that run backwards: which flips a value is a view of."""

from __future__ import annotations

import pytest

from dlint.analyses.backward_views import reversals
from tests.analyses.control.programs import MakeProgram

TRIED = """
def f(x):
    y = {before}
    try:
        y = {tried}
    except ValueError:
        {failed}
    ask(y)
"""

TESTED = """
class A:
    def f(self, x, turn):
        y = x[::-1]
        if {first}:
            y = y.copy()
        {between}
        if {second}:
            ask(y)
"""

ONLY_HANDLED = """
def f(x):
    y = x[::-1]
    try:
        check(x)
    except ValueError:
        y = x[:, ::-1]
    ask(y)
"""


WRITTEN = """
class A:
    def __init__(self, path):
        self.x = np.load(path)
        self.make()
    def make(self):
        self.x = self.x[::-1]
        {between}
        self.x = {last}
    def use(self):
        ask(self.x)
"""


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        (WRITTEN.format(between="pass", last="np.array(self.x) / 255"), []),
        (WRITTEN.format(between="pass", last="self.x"), [0]),
        (WRITTEN.format(between="self.use()", last="self.x / 255"), [0]),
        (WRITTEN.format(between="pass", last="self.x[:, 0]"), [0]),
        ("def f(x):\n    ask(x[::-1])", [0]),
        ("def f(x):\n    ask(x[:, ::-2])", [1]),
        ("def f(x):\n    ask(x[..., ::-1])", [-1]),
        ("def f(x):\n    ask(x[None, ::-1])", [None]),
        ("def f(x):\n    ask(x[::-1].T)", [None]),
        ("def f(x):\n    ask(x[::-1][:, 0])", [0]),
        ("def f(x):\n    ask(x[:, ::-1][0])", [0]),
        ("def f(x):\n    ask(x[::-1][0])", []),
        ("def f(x, i):\n    ask(x[:, ::-1][i])", []),
        ("def f(x):\n    ask(x[::-1][::-1])", []),
        ("def f(x):\n    ask(np.flip(np.fliplr(x), axis=0))", [0, 1]),
        ("def f(x):\n    ask(np.rot90(x, k=3))", [1]),
        ("def f(x):\n    ask(np.rot90(x, 4))", []),
        ("def f(x):\n    ask(np.flipud(m=x))", [0]),
        ("def f(x):\n    ask(np.flip(x).copy())", []),
        ("def f(x):\n    ask(np.flip(x) + 1)", []),
        ("def f(x, step):\n    ask(x[::step])", []),
        ("def f(x):\n    ask({'a': x[::-1]}['a'])", [0]),
        ("def f(x):\n    for row in x[:, ::-1]:\n        ask(row)", [0]),
        ("def g(x):\n    return x[::-1] if x.any() else x\ndef f(x):\n    ask(g(x))", [0]),
        (TRIED.format(before="x[::-1]", tried="x * 2", failed="print(x)"), []),
        (TRIED.format(before="x[::-1]", tried="x[:, ::-1]", failed="print(x)"), [1]),
        (TRIED.format(before="x * 2", tried="x[::-1]", failed="print(x)"), [0]),
        (TRIED.format(before="x * 2", tried="x + 1", failed="y = y[::-1]"), [0]),
        (TRIED.format(before="x * 2", tried="x + 1", failed="y = x[::-1]"), [0]),
        (ONLY_HANDLED, [0, 1]),
        (TESTED.format(first="self.a", between="pass", second="self.a"), []),
        (TESTED.format(first="turn", between="pass", second="turn and self.a"), []),
        (TESTED.format(first="self.a > 1", between="pass", second="self.a > 1"), []),
        (TESTED.format(first="self.a", between="pass", second="not self.a"), [0]),
        (TESTED.format(first="self.a", between="pass", second="self.b"), [0]),
        (TESTED.format(first="self.a", between="self.a = 1", second="self.a"), [0]),
        (TESTED.format(first="turn", between="turn = other()", second="turn"), [0]),
        (TESTED.format(first="turn()", between="pass", second="turn()"), [0]),
    ],
)
def test_axes_that_run_backwards(context: MakeProgram, text: str, axes: list[int | None]) -> None:
    analysed = context(f"import torch\nimport numpy as np\n{text}\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    found = reversals(analysed, call.arguments[0].value, analysed.solver.root(call.scope))
    assert [each.axis for each in found] == axes
