"""On which paths code runs: always, or under which tests."""

from __future__ import annotations

import pytest

from dlint.analyses.control import path_tests
from dlint.analyses.control.path_tests import (
    always_runs,
    call_always_runs,
    can_run,
    handles_exception,
    is_tried,
    is_under_main_guard,
    runs_at_import,
    runs_each_round,
    runs_whenever,
)
from dlint.ir import expressions as ex
from tests.analyses.control.programs import (
    MakeProgram,
    call_of,
    first_loop,
    function,
    scope_named,
)


@pytest.mark.parametrize(
    ("body", "tests"),
    [
        ("here()", []),
        ("if test:\n    here()", [("test", True)]),
        ("if test:\n    pass\nelse:\n    here()", [("test", False)]),
        ("if test:\n    pass\nelif other:\n    here()", [("test", False), ("other", True)]),
        ("if test:\n    if other:\n        here()", [("test", True), ("other", True)]),
        ("if test:\n    return\nhere()", [("test", False)]),
        ("if test:\n    pass\nelse:\n    return\nhere()", [("test", True)]),
        ("if test:\n    step()\n    if other: return\n    else: return\nhere()", [("test", False)]),
        ("if test:\n    if other:\n        return\nhere()", []),
        ("if test:\n    raise ValueError\nhere()", []),
        ("for x in xs:\n    if test:\n        continue\n    here()", [("test", False)]),
        ("for x in xs:\n    if test:\n        break\nhere()", []),
        ("here()\nif test:\n    return", []),
        ("while test:\n    here()", []),
        ("with manager:\n    if test:\n        here()", [("test", True)]),
        ("x = here() if test else None", [("test", True)]),
        ("x = None if test else here()", [("test", False)]),
        ("x = 1 if here() else 2", []),
        ("test and here()", [("test", True)]),
        ("test or here()", [("test", False)]),
        ("x = step(1, key=[here() if test else 2])", [("test", True)]),
        ("if here():\n    pass", []),
    ],
)
def test_tests_on_the_way(context: MakeProgram, body: str, tests: list[tuple[str, bool]]) -> None:
    _, scope = function(context, body)
    found = path_tests.tests_of_call(call_of(scope, "here"))
    assert [(ex.dotted(test), truth) for test, truth in found] == tests


@pytest.mark.parametrize(
    ("body", "always"),
    [
        ("here()", True),
        ("if test:\n    here()", False),
        ("if True:\n    here()", True),
        ("if test:\n    step()\nhere()", True),
        ("if test:\n    return\nhere()", False),
        ("if test:\n    raise ValueError\nhere()", True),
        ("for x in xs:\n    here()", True),
        ("for x in xs:\n    if test:\n        break\n    here()", False),
        ("for x in xs:\n    pass\nelse:\n    here()", False),
        ("while test:\n    here()", False),
        ("while True:\n    here()", True),
        ("try:\n    here()\nexcept OSError:\n    pass", True),
        ("try:\n    step()\nexcept OSError:\n    here()", False),
        ("try:\n    step()\nfinally:\n    here()", True),
        ("try:\n    return\nfinally:\n    here()", True),
        ("match n:\n    case 1:\n        here()", False),
        ("with manager:\n    here()", True),
        ("x = here() if test else 1", False),
        ("x = 1 if here() else 2", True),
        ("x = test and here()", False),
        ("x = here() and test", True),
        ("x = [here() for y in xs]", False),
        ("x = [y for y in here()]", True),
        ("x = [y for y in xs for z in here()]", False),
        ("x = step([here()], key=1)", True),
    ],
)
def test_always(context: MakeProgram, body: str, always: bool) -> None:
    _, scope = function(context, body)
    assert call_always_runs(call_of(scope, "here"), scope.body) is always


@pytest.mark.parametrize(
    ("body", "always"),
    [
        ("here()", True),
        ("if test:\n    break\nhere()", True),
        ("if test:\n    return\nhere()", True),
        ("if test:\n    continue\nhere()", False),
        ("if test:\n    here()", False),
        ("for y in x:\n    here()", False),
        ("for y in x:\n    continue\nhere()", True),
    ],
)
def test_each_round(context: MakeProgram, body: str, always: bool) -> None:
    inner = body.replace("\n", "\n    ")
    _, scope = function(context, f"for x in xs:\n    {inner}")
    loop = first_loop(scope)
    assert runs_each_round(call_of(scope, "here"), loop) is always


@pytest.mark.parametrize(
    ("body", "whenever"),
    [
        ("one()\ntwo()", True),
        ("two()\none()", True),
        ("if test:\n    return\none()\ntwo()", True),
        ("if test:\n    one()\ntwo()", False),
        ("one()\nif test:\n    two()", True),
        ("if test:\n    two()\none()", True),
        ("if test:\n    two()\n    return\none()", False),
        ("two()\nif test:\n    return\none()", False),
        ("if test:\n    one()\n    two()", True),
        ("if test:\n    one()\nelse:\n    two()", False),
        ("for x in xs:\n    if test:\n        continue\n    one()\n    two()", True),
        ("for x in xs:\n    if test:\n        continue\n    one()\ntwo()", False),
        ("with manager:\n    two()\nwith manager:\n    one()", True),
        ("one(two())", True),
    ],
)
def test_one_whenever_the_other(context: MakeProgram, body: str, whenever: bool) -> None:
    _, scope = function(context, body)
    one, two = (call_of(scope, name).statement for name in ("one", "two"))
    assert runs_whenever(one, two) is whenever


def test_runs_that_are_left_before(context: MakeProgram) -> None:
    body = (
        "for x in xs:\n    if test:\n        continue\n    here()\n    if other:\n        there()"
    )
    _, scope = function(context, body)
    loop = first_loop(scope)
    here, there = call_of(scope, "here"), call_of(scope, "there")
    assert not runs_each_round(here, loop)
    assert runs_each_round(here, loop, unless_left=True)
    assert not runs_each_round(there, loop, unless_left=True)


def test_what_stands_elsewhere_is_not_run_by_a_block(context: MakeProgram) -> None:
    _, scope = function(context, "for x in xs:\n    step()\nhere()")
    assert not always_runs(call_of(scope, "here").statement, first_loop(scope).body)


def test_exceptions(context: MakeProgram) -> None:
    body = "try:\n    one()\nexcept OSError:\n    if test:\n        two()\nthree()"
    _, scope = function(context, body)
    one, two, three = (call_of(scope, name).statement for name in ("one", "two", "three"))
    assert [is_tried(s) for s in (one, two, three)] == [True, True, False]
    assert [handles_exception(s) for s in (one, two, three)] == [False, True, False]


def test_main_guard(context: MakeProgram) -> None:
    text = "import torch\none()\nif __name__ == '__main__':\n    two()\ndef g():\n    three()\n"
    analysed = context(text)
    module = scope_named(analysed, "<module>")
    one, two = call_of(module, "one"), call_of(module, "two")
    three = call_of(scope_named(analysed, "g"), "three")
    assert [runs_at_import(c) for c in (one, two, three)] == [True, False, False]
    assert is_under_main_guard(module, two.span)
    assert not is_under_main_guard(module, one.span)


@pytest.mark.parametrize(
    ("before", "body", "runs"),
    [
        ("FLAG = False", "if FLAG:\n    here()", False),
        ("FLAG = True", "if FLAG:\n    here()", True),
        ("FLAG = True", "if FLAG:\n    return\nhere()", False),
        ("FLAG = False", "x = here() if FLAG else 1", False),
        ("", "if test:\n    here()", True),
        ("", "return\nhere()", False),
    ],
)
def test_tests_that_the_program_decides(
    context: MakeProgram, before: str, body: str, runs: bool
) -> None:
    analysed, scope = function(context, body, before)
    assert can_run(analysed, call_of(scope, "here")) is runs
