"""Before and after."""

from __future__ import annotations

import pytest

from dlint.analyses.control.order import (
    When,
    following,
    is_inside,
    preceding,
    relative_order,
    step_of,
)
from dlint.ir.module import Evaluate
from tests.analyses.control.programs import MakeProgram, call_of, first_loop, function

BEFORE, AFTER = When.BEFORE, When.AFTER


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("one()\ntwo()", {BEFORE}),
        ("two()\none()", {AFTER}),
        ("if test:\n    one()\ntwo()", {BEFORE}),
        ("if test:\n    one()\nelse:\n    two()", set()),
        ("try:\n    one()\nfinally:\n    two()", {BEFORE}),
        ("for x in xs:\n    if x:\n        one()\n    else:\n        two()", set()),
        ("for x in one():\n    two()", {BEFORE}),
        ("for z in xs:\n    for x in one():\n        two()", {BEFORE, AFTER}),
        (
            "while test:\n    try:\n        one()\n    except OSError:\n        two()",
            {BEFORE, AFTER},
        ),
        ("with one():\n    two()", {BEFORE}),
        ("for x in xs:\n    one()\n    two()", {BEFORE, AFTER}),
        ("for x in xs:\n    two()\n    one()", {AFTER}),
        ("for x in xs:\n    one()\ntwo()", {BEFORE}),
        ("try:\n    one()\nexcept OSError:\n    two()", {BEFORE}),
        ("try:\n    two()\nexcept OSError:\n    pass\nfinally:\n    one()", {AFTER}),
        ("try:\n    pass\nexcept OSError:\n    one()\nelse:\n    two()", set()),
        ("match n:\n    case 1:\n        one()\n    case 2:\n        two()", set()),
        ("one(two())", set()),
        ("for x in xs:\n    one(two())", {AFTER}),
        ("with manager:\n    one()\n    with other:\n        two()", {BEFORE}),
    ],
)
def test_order(context: MakeProgram, body: str, order: set[When]) -> None:
    _, scope = function(context, body)
    one, two = (call_of(scope, name).statement for name in ("one", "two"))
    assert relative_order(one, two) == order


def test_a_loop_has_begun_before_its_body(context: MakeProgram) -> None:
    _, scope = function(context, "for x in xs:\n    one()")
    inner = call_of(scope, "one").statement
    assert relative_order(first_loop(scope), inner) == {BEFORE}


def test_steps_of_a_block(context: MakeProgram) -> None:
    _, scope = function(context, "for x in xs:\n    if test:\n        one()\n    two()\nthree()")
    loop = first_loop(scope)
    one, two, three = (call_of(scope, name).statement for name in ("one", "two", "three"))
    assert step_of(loop.body, one) is loop.body.statements[0]
    assert step_of(loop.body, two) is two
    assert step_of(loop.body, three) is None
    assert [is_inside(s, loop) for s in (one, two, three)] == [True, True, False]


def test_what_follows(context: MakeProgram) -> None:
    body = "if test:\n    one()\n    two()\nwith manager:\n    three()\nfour()"
    _, scope = function(context, body)
    found = list(following(call_of(scope, "one").statement))
    values = [s.value for s in found if isinstance(s, Evaluate)]
    assert [getattr(value, "name", None) for value in values] == ["two", "three", "four"]


def test_what_precedes(context: MakeProgram) -> None:
    body = "one()\nwith manager:\n    two()\n    three()\nif test:\n    four()\n    five()"
    _, scope = function(context, body)
    found = list(preceding(call_of(scope, "five").statement))
    values = [s.value for s in found if isinstance(s, Evaluate)]
    assert [getattr(value, "name", None) for value in values] == ["four", "three", "two", "one"]
