"""What calls of library functions denote."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

GENERATORS = """
def numbers():
    yield 1
    yield 2
data = numbers()
lazy = (n for n in (1, 2))
"""

COLLECTED = {
    "list": "list(data)",
    "tuple": "tuple(data)",
    "sorted": "sorted(data, key=None)",
    "set": "set(data)",
    "an expression": "list(lazy)",
    "an expression in place": "sorted(n for n in (1, 2))",
    "twice": "tuple(list(data))",
}


@pytest.mark.parametrize("asked", COLLECTED.values(), ids=COLLECTED)
@pytest.mark.parametrize("ask", [denoted, evaluated], ids=["solver", "evaluator"])
def test_what_is_collected_of_a_generator_is_a_list(ask: object, asked: str) -> None:
    assert callable(ask)
    assert ask(f"{GENERATORS}reveal({asked})\n") == [{"list comprehension"}]


@pytest.mark.parametrize("asked", COLLECTED.values(), ids=COLLECTED)
def test_a_collected_list_holds_what_the_generator_gives(asked: str) -> None:
    loop = f"for item in {asked}:\n    reveal(item)\nreveal(({asked})[0])\n"
    assert denoted(GENERATORS + loop) == [{"1", "2"}, {"1", "2"}]


KEPT = {
    "a generator": ("iter(data)", "generator numbers"),
    "a slice of a generator": ("itertools.islice(data, 1)", "generator numbers"),
    "a generator expression": ("lazy", "generator comprehension"),
    "a copied list": ("list([1, 2])", "[…]"),
    "a sorted tuple": ("sorted((1, 2))", "[…]"),
}


@pytest.mark.parametrize(("asked", "expected"), KEPT.values(), ids=KEPT)
def test_what_is_handed_on_stays_what_it_is(asked: str, expected: str) -> None:
    text = f"import itertools\n{GENERATORS}reveal({asked})\n"
    assert denoted(text) == evaluated(text) == [{expected}]


ENTERED = """
from contextlib import ExitStack
class Own:
    def __enter__(self):
        return 3
stack = ExitStack()
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("stack.enter_context(Own())", "3"),
        ("ExitStack().enter_context(Own())", "3"),
        ("stack.push(Own())", "contextlib.ExitStack().push()"),
    ],
)
def test_a_stack_gives_what_it_enters(asked: str, expected: str) -> None:
    assert denoted(f"{ENTERED}reveal({asked})\n") == [{expected}]
