"""Literals, where they are written and where they are named."""

from __future__ import annotations

import pytest

from dlint.ir import expressions as ex
from dlint.ir.lower import lower
from dlint.workspace.source import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(3)", 3),
        ("x = 3\nf(x)", 3),
        ("x = 3\ny = x\nf(y)", 3),
        ("def g():\n    x = 'a'\n    f(x)", "a"),
        ("x = 3\nx = 4\nf(x)", 4),
        ("x = 3\nif y:\n    x = 4\nf(x)", None),
        ("x = 3\nfor _ in y:\n    f(x)\n    x = 4", None),
        ("for x in (1, 2):\n    f(x)", None),
        ("x = 3\ndef g():\n    f(x)", None),
        ("x = y + 1\nf(x)", None),
        ("def g(x=3):\n    f(x)", None),
    ],
)
def test_a_name_stands_for_the_literal_it_is_bound_to(text: str, expected: object) -> None:
    module = lower(Source("/p/m.py", text))
    (call,) = (call for scope in module.scopes for call in scope.calls if call.name == "f")
    known = ex.constant(call.arguments[0].value)
    assert (None if known is None else known.value) == expected


def test_nothing_is_no_literal() -> None:
    assert ex.constant(None) is None
