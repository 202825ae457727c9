"""What the results of a function are made of."""

from __future__ import annotations

import pytest

from dlint.analyses.result_parts import parts_made_of, result_items, results, values_within
from tests.analyses.control.programs import MakeProgram


@pytest.mark.parametrize(
    ("body", "goes_in"),
    [
        ("return mark()", True),
        ("y = mark()\n    return [y]", True),
        ("y = mark()\n    return x", False),
        ("y = x\n    if x:\n        y = mark()\n    return y", True),
        ("y = {}\n    y['a'] = mark()\n    return y", True),
        ("y, z = {}, {}\n    z['a'] = mark()\n    return y", False),
        ("y = []\n    for i in x:\n        y.append(mark())\n    return y", True),
        ("y, z = x, mark()\n    return g(z)", True),
        ("y = mark()\n    yield y", True),
        ("mark()\n    return x", False),
    ],
)
def test_what_goes_into_a_result(context: MakeProgram, body: str, goes_in: bool) -> None:
    analysed = context(f"def f(x):\n    {body}\n")
    (scope,) = (s for f in analysed.modules for s in f.module.scopes if s.name == "f")
    (call,) = (call for call in scope.calls if call.name == "mark")
    assert (call in parts_made_of(scope, results(scope))) is goes_in


@pytest.mark.parametrize(
    ("result", "parts"),
    [("x, 1", 2), ("[x]", 1), ("{'a': x, 'b': x}", 2), ("x", 1), ("y", 3)],
)
def test_the_parts_of_a_result(context: MakeProgram, result: str, parts: int) -> None:
    analysed = context(f"def f(x):\n    y = (x, x, x)\n    return {result}\n")
    (scope,) = (s for f in analysed.modules for s in f.module.scopes if s.name == "f")
    assert [len(items) for items in result_items(scope)] == [parts]


@pytest.mark.parametrize(
    ("body", "within"),
    [
        ("y = mark()\n    return x * (1 + y)", True),
        ("y = x\n    if mark():\n        y = 1\n    return x * y", False),
        ("y = x\n    if x:\n        y = mark()\n    return x * y", True),
        ("return x if mark() else 1", False),
    ],
)
def test_what_a_value_is_made_of_beside_tests(
    context: MakeProgram, body: str, within: bool
) -> None:
    analysed = context(f"def f(x):\n    {body}\n")
    (scope,) = (s for f in analysed.modules for s in f.module.scopes if s.name == "f")
    (call,) = (call for call in scope.calls if call.name == "mark")
    assert (call in values_within(scope.returns[0])) is within
