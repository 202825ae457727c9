"""Whether two expressions of a function may be one thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.alike import may_be_alike
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
def main(self, given, flag):
    first, second = load(given.first), load(given.second)
    again = load(given.first)
    one, other = pair(given)
    either = first if flag else second
    copied = Image.fromarray(first.copy())
    ask({asked})
"""


@pytest.mark.parametrize(
    ("asked", "alike"),
    [
        ("first, first", True),
        ("first, second", False),
        ("first, again", True),
        ("one, other", False),
        ("one, pair(given)[0]", False),
        ("first, either", True),
        ("copied, first", True),
        ("copied, second", False),
        ("given.rows[0], given.rows[0]", True),
        ("given.rows[0], given.rows[1]", False),
        ("self.load(first), self.load(first)", True),
        ("self.load(first), self.load(second)", False),
        ("unbound, unbound", True),
        ("unbound, given", False),
    ],
)
def test_two_values_of_one_function(context: MakeContext, asked: str, *, alike: bool) -> None:
    (call,) = calls_anywhere(context(TEXT.format(asked=asked)), "ask")
    first, second = (argument.value for argument in call.arguments)
    assert may_be_alike(first, second) is alike
    assert may_be_alike(second, first) is alike
