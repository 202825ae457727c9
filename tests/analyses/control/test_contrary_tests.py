"""Loaders that are made only where the tests on the way to a place come out otherwise."""

from __future__ import annotations

import pytest

from dlint.analyses.control.contrary_tests import is_made_otherwise
from dlint.semantics.values.values import AllocationSite
from tests.analyses.control.programs import MakeProgram, call_of, scope_named

IMPORTS = "from torch.utils.data import DataLoader\n\n"
SIDES = "def first():\n    return DataLoader([1])\n\n"
SIDES += "def second():\n    return DataLoader([2, 3])\n\n"
BRANCHES = "def pick(s):\n    if s == 0:\n        x = first()\n"
BRANCHES += "    else:\n        x = second()\n    "
EARLY = "def pick(s):\n    if s != 0:\n        return second()\n    return first()\n\n"
PAIR = f"{BRANCHES}return None, x\n\n"
ONE = f"{BRANCHES}return x\n\n"
ROUNDS = "def f(n, other):\n    for k in range(n):\n        "


def _lengths(context: MakeProgram, text: str) -> list[int]:
    """The lengths of the data sets of the loaders that may come to `use(…)`."""
    analysed = context(IMPORTS + SIDES + text)
    call = call_of(scope_named(analysed, "f"), "use")
    given = call.arguments[0].value
    found = [v for v in analysed.values(given, call.scope) if isinstance(v, AllocationSite)]
    assert len(found) >= 2
    ruled_out = [is_made_otherwise(analysed, v, given, call.scope, call.span) for v in found]
    return sorted(
        len(getattr(made.call.arguments[0].value, "items", ()))
        for made, is_out in zip(found, ruled_out, strict=True)
        if not is_out
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}{ROUNDS}x = pick(k)\n        if k == 0:\n            use(x)",
        (
            f"{PAIR}{ROUNDS}_, x = pick(k)\n        if 0 == 1 or not k != 0:\n            pass\n"
            "        if k == 0:\n            use(x)"
        ),
        f"{EARLY}{ROUNDS}x = pick(k)\n        if k == 0:\n            use(x)",
        f"{EARLY}{ROUNDS}x = pick(s=k)\n        if k != 0:\n            continue\n        use(x)",
        f"{EARLY}{ROUNDS}x = pick(k)\n        use(x) if k == 0 else None",
        f"{EARLY}{ROUNDS}if k == 0:\n            use(pick(k))",
        (
            f"{EARLY}def inner(k):\n    return pick(k)\n\n{ROUNDS}x = inner(k)\n"
            "        if k == 0:\n            use(x)"
        ),
        f"{EARLY}def f(n, other):\n    s = n\n    x = pick(s)\n    if n == 0:\n        use(x)",
        (
            "def f(n, other):\n    x = first() if n == 0 else second()\n    if n < 1 and n == 0:\n"
            "        use(x)"
        ),
        (
            "def f(n, other):\n    if n > 0:\n        x = second()\n    else:\n"
            "        x = first()\n    if n == 0:\n        use(x)"
        ),
    ],
)
def test_one_side_of_the_same_question(context: MakeProgram, text: str) -> None:
    assert _lengths(context, text) == [1]


@pytest.mark.parametrize(
    "text",
    [
        f"{EARLY}{ROUNDS}x = pick(other)\n        if k == 0:\n            use(x)",
        f"{EARLY}{ROUNDS}x = pick(k)\n        k = other\n        if k == 0:\n            use(x)",
        (
            f"{EARLY}def f(n, other):\n    x = first()\n    for k in range(n):\n"
            "        if k == 0:\n            use(x)\n        x = pick(k)"
        ),
        (
            f"{EARLY}class T:\n    def f(self, other):\n        self.x = pick(other)\n"
            "        if other == 0:\n            use(self.x)"
        ),
        (
            "def f(n, other):\n    x = first() if n.ready() else second()\n    if not n.ready():\n"
            "        use(x)"
        ),
        (
            "def f(n, other):\n    x = first() if n.s == 0 else second()\n    n.s = other\n"
            "    if n.s == 0:\n        use(x)"
        ),
        f"{EARLY}{ROUNDS}x = pick(k)\n        if k < 3:\n            use(x)",
    ],
)
def test_another_question_or_another_round(context: MakeProgram, text: str) -> None:
    assert 2 in _lengths(context, text)
