"""How blocks end, and what is dead."""

from __future__ import annotations

import pytest

from dlint.analyses.control.completions import (
    Completion,
    completions,
    is_dead,
    leaves_in_first_round,
)
from tests.analyses.control.programs import MakeProgram, call_of, first_loop, function

NEXT, RETURN, RAISE = Completion.NEXT, Completion.RETURN, Completion.RAISE


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("pass", {NEXT}),
        ("return 1", {RETURN}),
        ("raise ValueError", {RAISE}),
        ("if test:\n    return 1", {NEXT, RETURN}),
        ("if test:\n    return 1\nelse:\n    raise ValueError", {RETURN, RAISE}),
        ("if test:\n    pass\nelif other:\n    return 1\nelse:\n    return 2", {NEXT, RETURN}),
        ("if True:\n    return 1", {RETURN}),
        ("if False:\n    return 1", {NEXT}),
        ("if 0:\n    pass\nelse:\n    return 1", {RETURN}),
        ("return 1\nraise ValueError", {RETURN}),
        ("while True:\n    step()", set()),
        ("while True:\n    if test:\n        break", {NEXT}),
        ("while True:\n    if test:\n        return 1", {RETURN}),
        ("while True:\n    for x in xs:\n        break", set()),
        ("while test:\n    return 1", {NEXT, RETURN}),
        ("while False:\n    return 1", {NEXT}),
        ("for x in xs:\n    continue", {NEXT}),
        ("for x in xs:\n    pass\nelse:\n    return 1", {RETURN}),
        ("for x in xs:\n    break\nelse:\n    return 1", {NEXT, RETURN}),
        ("with manager:\n    return 1", {RETURN}),
        ("with manager:\n    raise ValueError", {NEXT, RAISE}),
        ("try:\n    return 1\nexcept OSError:\n    pass", {NEXT, RETURN}),
        ("try:\n    return 1\nexcept OSError:\n    raise", {RETURN, RAISE}),
        ("try:\n    pass\nexcept OSError:\n    return 1\nelse:\n    return 2", {RETURN}),
        ("try:\n    step()\nfinally:\n    return 1", {RETURN}),
        ("try:\n    return 1\nfinally:\n    step()", {RETURN}),
        ("match n:\n    case 1:\n        return 1", {NEXT, RETURN}),
        ("import sys\nsys.exit(1)", {RAISE}),
        ("import sys as system\nsystem.exit()", {RAISE}),
        ("from sys import exit as leave\nleave()", {RAISE}),
        ("import os\nos._exit(1)", {RAISE}),
        ("exit()", {RAISE}),
        ("manager.exit()", {NEXT}),
        ("exit = test\nexit()", {NEXT}),
        ("n.sys.exit()", {NEXT}),
        ("manager()()", {NEXT}),
        ("from .sys import exit\nexit()", {NEXT}),
    ],
)
def test_completions(context: MakeProgram, body: str, ways: set[Completion]) -> None:
    _, scope = function(context, body)
    assert completions(scope.body) == ways


def test_a_name_is_looked_up_in_the_scopes_around(context: MakeProgram) -> None:
    _, scope = function(context, "s.exit()", before="import sys as s")
    assert completions(scope.body) == {RAISE}
    _, scope = function(context, "exit()", before="def exit(): pass")
    assert completions(scope.body) == {NEXT}


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ("here()", False),
        ("return\nhere()", True),
        ("if test:\n    return\nhere()", False),
        ("if test:\n    return\nelse:\n    raise ValueError\nhere()", True),
        ("if False:\n    here()", True),
        ("if False:\n    if test:\n        here()", True),
        ("if False:\n    pass\nelse:\n    here()", False),
        ("if 1:\n    pass\nelse:\n    here()", True),
        ("while True:\n    step()\nhere()", True),
        ("while True:\n    if test: break\nhere()", False),
        ("while True:\n    here()", False),
        ("while True:\n    if test: break\nelse:\n    here()", True),
        ("while False:\n    here()", True),
        ("while False:\n    pass\nelse:\n    here()", False),
        ("for x in xs:\n    continue\n    here()", True),
        ("for x in xs:\n    break\nhere()", False),
        ("with manager:\n    return\nhere()", True),
        ("try:\n    return\nexcept OSError:\n    here()", False),
        ("import sys\nsys.exit()\nhere()", True),
        ("here()\nreturn", False),
        ("return here()", False),
    ],
)
def test_dead(context: MakeProgram, body: str, dead: bool) -> None:
    _, scope = function(context, body)
    assert is_dead(call_of(scope, "here").statement) is dead


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("step()", False),
        ("break", True),
        ("return step()", True),
        ("continue", False),
        ("if test:\n    break", False),
        ("if test:\n    break\nelse:\n    return", True),
        ("if test:\n    continue\nbreak", False),
        ("for y in x:\n    break", False),
        ("for y in x:\n    return\nelse:\n    break", True),
        ("try:\n    step()\nexcept OSError:\n    continue\nbreak", False),
    ],
)
def test_left_in_the_first_round(context: MakeProgram, body: str, leaves: bool) -> None:
    inner = body.replace("\n", "\n    ")
    _, scope = function(context, f"for x in xs:\n    {inner}")
    assert leaves_in_first_round(first_loop(scope)) is leaves
