"""By which names a module speaks of something."""

from __future__ import annotations

import pytest

from dlint.ir.lower import lower
from dlint.semantics.names.bound_names import bound_names, closed
from dlint.workspace.source import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from data import make", {"make"}),
        ("from data import make as m", {"make", "m"}),
        ("def f():\n    from data import make as m", {"make", "m"}),
        ("import data\nm = data.make", {"make", "m"}),
        ("m = make\nn = m", {"make", "m", "n"}),
        ("m = make if fast else other", {"make", "m"}),
        ("m = given or make", {"make", "m"}),
        ("class A:\n    def __init__(self):\n        self.m = make", {"make", "m"}),
        ("class A:\n    m = staticmethod(make)", {"make"}),
        ("def f(m=make): ...", {"make", "m"}),
        ("from functools import partial\nm = partial(make, 8)", {"make", "m"}),
        ("from functools import partial as p\nm = p(make, 8)", {"make", "m"}),
        ("import functools\nm = functools.partial(make, 8)", {"make", "m"}),
        ("try:\n    from a import make as m\nexcept ImportError:\n    m = None", {"make", "m"}),
        ("m = make(8)", {"make"}),
        ("m = [make]", {"make"}),
        ("make = m", {"make"}),
        ("import make as m", {"make"}),
    ],
)
def test_names_of_one_thing(text: str, expected: set[str]) -> None:
    assert closed(["make"], bound_names(lower(Source("/p/m.py", text)))) == expected


def test_names_that_are_bound_to_one_another() -> None:
    module = lower(Source("/p/m.py", "def f():\n    a = b\n    b = a\n"))
    assert closed(["a"], bound_names(module)) == {"a", "b"}
