"""SetArgument and RemoveArgument, in every layout a call may have."""

from __future__ import annotations

from textwrap import dedent

import pytest

from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.findings.places import Place

PATH = "/project/train.py"


def whole(text: str) -> Place:
    return Place(PATH, 0, len(text.rstrip()))


def layout(text: str) -> str:
    return dedent(text).lstrip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(n=1)"),
        ("f( )", "f(n=1)"),
        ("f(a)", "f(a, n=1)"),
        ("f(a, )", "f(a, n=1, )"),
        ("f(a, b=1,)", "f(a, b=1, n=1,)"),
        ("f(a, (b))", "f(a, (b), n=1)"),
        ("f(a, b=g(c, d))", "f(a, b=g(c, d), n=1)"),
        ("(f)  (a)", "(f)  (a, n=1)"),
        ("f(a)(b)", "f(a)(b, n=1)"),
        ("f(',#)')", "f(',#)', n=1)"),
        ("f(n=0)", "f(n=1)"),
        ("f(n = (0))", "f(n = 1)"),
        ("f(a, n=0, b=2)", "f(a, n=1, b=2)"),
        ("f(*a, n=0, **b)", "f(*a, n=1, **b)"),
        ("f((x for x in y))", "f((x for x in y), n=1)"),
    ],
)
def test_sets_on_one_line(lowered, before, after):
    operation = SetArgument(whole(before), "n", "1")
    assert lowered(before + "\n", operation) == after + "\n"


@pytest.mark.parametrize(
    "before", ["f(*a)", "f(a, **b)", "f(**b, a=1)", "f(*a, b)", "f(x for x in y)"]
)
def test_gives_no_keyword_where_it_may_come_twice(lowered, before):
    assert lowered(before, SetArgument(whole(before), "n", "1")) is None


@pytest.mark.parametrize(
    ("before", "position", "after"),
    [
        ("f(a, b, c)", 1, "f(a, 1, c)"),
        ("f(a, (b))", 1, "f(a, 1)"),
        ("f(a, b, *c)", 1, "f(a, 1, *c)"),
        ("f(a)", 1, "f(a, n=1)"),
        ("f(a, n=0)", 0, "f(a, n=1)"),
    ],
)
def test_replaces_what_stands_by_position(lowered, before, position, after):
    assert lowered(before, SetArgument(whole(before), "n", "1", position)) == after


def test_position_behind_a_star_is_not_known(lowered):
    assert lowered("f(*a, b)", SetArgument(whole("f(*a, b)"), "n", "1", 1)) is None


LINES = [
    (
        """
        f(
            a,
            b=1,
        )
        """,
        """
        f(
            a,
            b=1,
            n=1,
        )
        """,
    ),
    (
        """
        f(
            a,
            b=1
        )
        """,
        """
        f(
            a,
            b=1,
            n=1
        )
        """,
    ),
    (
        """
        f(a,
          b=1)
        """,
        """
        f(a,
          b=1,
          n=1)
        """,
    ),
    (
        """
        f(a, b=1,
          c=2)
        """,
        """
        f(a, b=1,
          c=2, n=1)
        """,
    ),
    (
        """
        f(
            a, b=1
        )
        """,
        """
        f(
            a, b=1, n=1
        )
        """,
    ),
    (
        """
        f(
            a,
            b=1  # one
        )
        """,
        """
        f(
            a,
            b=1,  # one
            n=1
        )
        """,
    ),
    (
        """
        f(
            a,
            b=1,  # one
            # c=2,
        )
        """,
        """
        f(
            a,
            b=1,  # one
            n=1,
            # c=2,
        )
        """,
    ),
    (
        """
        f(
            a,
            b=1,)
        """,
        """
        f(
            a,
            b=1,
            n=1,)
        """,
    ),
    (
        """
        f(  # nothing
            # yet
        )
        """,
        """
        f(  # nothing
            # yet
            n=1,
        )
        """,
    ),
    (
        """
        f( a
         , b
         )
        """,
        """
        f( a
         , b, n=1
         )
        """,
    ),
    (
        """
        f(
        \ta,
        \tb=g(
        \t\t1),
        )
        """,
        """
        f(
        \ta,
        \tb=g(
        \t\t1),
        \tn=1,
        )
        """,
    ),
]


@pytest.mark.parametrize(("before", "after"), LINES)
def test_sets_on_lines_of_its_own(lowered, before, after):
    text = layout(before)
    assert lowered(text, SetArgument(whole(text), "n", "1")) == layout(after)


def test_keeps_the_newlines_of_the_file(lowered):
    text = "f(\r\n    a,\r\n    b,\r\n)\r\n"
    changed = lowered(text, SetArgument(whole(text), "n", "1"))
    assert changed == "f(\r\n    a,\r\n    b,\r\n    n=1,\r\n)\r\n"


def test_sets_two_arguments_at_once(lowered):
    text = "f(a, b=0)"
    operations = [SetArgument(whole(text), name, "1") for name in "bcd"]
    assert lowered(text, *operations) == "f(a, b=1, c=1, d=1)"


@pytest.mark.parametrize(
    ("value", "written"),
    [("1, 2", "(1, 2)"), ("x for x in y", "(x for x in y)"), ("(1, 2)", "(1, 2)"), ("a or b",) * 2],
)
def test_encloses_a_value_that_a_comma_would_split(lowered, value, written):
    assert lowered("f(a)", SetArgument(whole("f(a)"), "n", value)) == f"f(a, n={written})"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(n=1)", "f()"),
        ("f( n=1, )", "f()"),
        ("f(a, n=1)", "f(a)"),
        ("f(a, n=1,)", "f(a,)"),
        ("f(n=1, a=2)", "f(a=2)"),
        ("f(a, n=1, b=2)", "f(a, b=2)"),
        ("f(a , n = (1) , b=2)", "f(a , b=2)"),
        ("f(a, n=1, **b)", "f(a, **b)"),
        ("f(*a, n=1)", "f(*a)"),
    ],
)
def test_removes_on_one_line(lowered, before, after):
    assert lowered(before, RemoveArgument(whole(before), "n")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(\n    a,\n    n=1,  # one\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    a,\n    n=1,\n)", "f(\n    a,\n)"),
        ("f(\n    a,  # a\n    n=1\n)", "f(\n    a  # a\n)"),
        ("f(\n    n=1,\n    b=2,\n)", "f(\n    b=2,\n)"),
        ("f(\n    n=g(\n        1\n    ),\n    b=2,\n)", "f(\n    b=2,\n)"),
        ("f(\n    n=1,\n)", "f()"),
        ("f(  # nothing\n    n=1,\n)", "f(  # nothing\n)"),
        ("f(a, n=1,\n  b=2)", "f(a,\n  b=2)"),
        ("f(a,\n  n=1, b=2)", "f(a,\n  b=2)"),
        ("f(a,\n  n=1)", "f(a)"),
        ("f(a,  # a\n  n=1)", "f(a,  # a\n  )"),
        ("f(n=1,\n  b=2)", "f(b=2)"),
        ("f(n=1,  # one\n  b=2)", "f(  # one\n  b=2)"),
        ("f(a, n=1,  # one\n  b=2)", "f(a,  # one\n  b=2)"),
        ("f( a\n , n=1\n , b=2\n )", "f( a\n , b=2\n )"),
        ("f(a, \\\n  n=1, \\\n  b=2)", "f(a, \\\n  b=2)"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_removes_from_several_lines(lowered, before, after, newline):
    text = before.replace("\n", newline)
    changed = lowered(text, RemoveArgument(Place(PATH, 0, len(text)), "n"))
    assert changed == after.replace("\n", newline)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, b, c)", "f(a, None, c)"),
        ("f(a, b, *c)", "f(a, None, *c)"),
        ("f(a, b)", "f(a)"),
        ("f(a, b, c=1)", "f(a, c=1)"),
        ("f(a, b, **c)", "f(a, **c)"),
    ],
)
def test_a_position_is_kept_for_those_behind(lowered, before, after):
    assert lowered(before, RemoveArgument(whole(before), "n", 1)) == after


PIN = 7
"""Position of `pin_memory` in the signature of DataLoader."""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "DataLoader(ds, 32, True, None, None, 4, None, False)",
            "DataLoader(ds, 32, True, None, None, 4, None, True)",
        ),
        (
            "DataLoader(ds, 32, True, None, None, 4)",
            "DataLoader(ds, 32, True, None, None, 4, pin_memory=True)",
        ),
        ("DataLoader(dataset1,**train_kwargs)", None),
        ("DataLoader(ds, **{'pin_memory': False})", None),
        ("DataLoader(*args)", None),
        ("DataLoader(ds, pin_memory=False, **kw)", "DataLoader(ds, pin_memory=True, **kw)"),
    ],
)
def test_an_argument_is_never_given_twice(lowered, before, after):
    assert lowered(before, SetArgument(whole(before), "pin_memory", "True", PIN)) == after


def test_a_value_of_two_lines_takes_the_newlines_of_the_file(lowered):
    text = "x = 1\r\nf()\r\n"
    operation = SetArgument(Place(PATH, 7, 10), "n", "(1 +\n2)")
    assert lowered(text, operation) == "x = 1\r\nf(n=(1 +\r\n2))\r\n"


def test_what_is_not_given_cannot_be_removed(lowered):
    assert lowered("f(a, **b)", RemoveArgument(whole("f(a, **b)"), "n", 1)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, n=1)", "f(a, m=2)"),
        ("f(n=1)", "f(m=2)"),
        ("f(n=1, a=3)", "f(a=3, m=2)"),
        ("f(\n    a,\n    n=1,\n)", "f(\n    a,\n    m=2,\n)"),
    ],
)
def test_removes_one_and_sets_another(lowered, before, after):
    place = whole(before)
    operations = RemoveArgument(place, "n"), SetArgument(place, "m", "2")
    assert lowered(before, *operations) == after


def test_removes_neighbours(lowered):
    text = "f(a, b=1, c=2, d=3)"
    place = whole(text)
    assert lowered(text, RemoveArgument(place, "c"), RemoveArgument(place, "b")) == "f(a, d=3)"
    assert lowered(text, RemoveArgument(place, "b"), RemoveArgument(place, "d")) == "f(a, c=2)"
    assert lowered(text, RemoveArgument(place, "c"), RemoveArgument(place, "d")) == "f(a, b=1)"


def test_a_fix_is_lowered_whole_or_not_at_all(lowered, find):
    text = "f(a)\ng(**b)\n"
    first = SetArgument(find(text, "f(a)"), "n", "1")
    assert lowered(text, first) == "f(a, n=1)\ng(**b)\n"
    assert lowered(text, first, SetArgument(find(text, "g(**b)"), "n", "1")) is None


def test_what_cannot_be_parsed_cannot_be_lowered(lowered):
    assert lowered("f(a", SetArgument(Place(PATH, 0, 3), "n", "1")) is None


def test_a_place_that_is_no_call_cannot_be_lowered(lowered, find):
    assert lowered("f(a)", SetArgument(find("f(a)", "a"), "n", "1")) is None


def test_changes_a_call_in_a_format_string(lowered, find):
    text = 'print(f"{f(a)!r:>{w}} {g(b)}")\n'
    operation = SetArgument(find(text, "g(b)"), "n", "1")
    assert lowered(text, operation) == 'print(f"{f(a)!r:>{w}} {g(b, n=1)}")\n'
