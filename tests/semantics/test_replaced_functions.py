"""What functions read of their module that it defines again, as the cells of notebooks do."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

TWICE = """
SIZE = 1

def main():
    reveal(SIZE)

main()
SIZE = 2

def main():
    reveal(SIZE)

main()
"""
USED_LATER = TWICE.replace("SIZE = 2\n", "SIZE = 2\nmain()\n")
USED_BY_ANOTHER = TWICE.replace("SIZE = 2\n", "SIZE = 2\ndef other():\n    main()\nother()\n")
IN_ITSELF = TWICE.replace(
    "    reveal(SIZE)\n\nmain()\nSIZE", "    [reveal(SIZE) for _ in 'a']\n\nmain()\nSIZE"
)
BOUND_LATER = TWICE.replace("SIZE = 1\n\n", "").replace("main()\nSIZE", "SIZE = 3\nmain()\nSIZE")
MAYBE_AGAIN = TWICE.replace("SIZE = 2\n\ndef", "SIZE = 2\nif x:\n  def")
OVER_ITSELF = TWICE.replace("SIZE = 1\n", "SIZE = 0\nSIZE = 1\n")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        pytest.param(TWICE, {"1"}, id="what holds while it is used"),
        pytest.param(USED_LATER, {"1", "2"}, id="used after another binding, too"),
        pytest.param(USED_BY_ANOTHER, {"1", "2"}, id="another function may use it"),
        pytest.param(IN_ITSELF, {"1"}, id="what is nested in it"),
        pytest.param(BOUND_LATER, {"3"}, id="bound between the function and its use"),
        pytest.param(OVER_ITSELF, {"1"}, id="not what was overwritten before"),
        pytest.param(MAYBE_AGAIN, {"2"}, id="a function that only may be replaced sees the last"),
    ],
)
def test_a_function_that_is_replaced_sees_what_is_bound_while_it_lives(
    text: str, first: set[str]
) -> None:
    for found in (evaluated(text), denoted(text)):
        assert found[0] == first
        assert set().union(*found[1:]) <= {"2"}


def test_classes_are_looked_up_in_the_same_way() -> None:
    text = TWICE.replace("SIZE = 1", "class SIZE: a = 1").replace("SIZE = 2", "class SIZE: b = 1")
    text = text.replace("reveal(SIZE)", "reveal(SIZE.a)", 1)
    assert denoted(text)[0] == {"1"}
