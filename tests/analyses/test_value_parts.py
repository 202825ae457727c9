"""Parts of values, by themselves and behind names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.analyses.value_parts import (
    names_of,
    names_over_calls,
    origin_over_calls,
    root_of,
    table_of,
)
from dlint.ir import expressions as ex

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
def main(given, flag):
    first = given.rows
    second = first
    made = list(second)
    either = first
    if flag:
        either = made
    for turn in given:
        turn = turn
    ask({asked})
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("second", ["second", "first", "given.rows"]),
        ("given.rows", ["given.rows"]),
        ("made", ["made"]),
        ("either", ["either"]),
        ("given", ["given"]),
        ("unbound", ["unbound"]),
        ("second[0]", [None]),
    ],
)
def test_names_of_a_value(context: MakeContext, asked: str, expected: list[str | None]) -> None:
    (call,) = calls_anywhere(context(TEXT.format(asked=asked)), "ask")
    assert [ex.dotted(name) for name in names_of(call.arguments[0].value)] == expected


@pytest.mark.parametrize(
    ("asked", "table", "root"),
    [
        ("given", "given", "given"),
        ("given[0]['a']", "given", "given"),
        ("given.rows[0]", "given.rows", "given"),
        ("given[0].rows", None, "given"),
        ("given.rows().first[0]", None, None),
    ],
)
def test_what_a_value_is_a_part_of(
    context: MakeContext, asked: str, table: str | None, root: str | None
) -> None:
    (call,) = calls_anywhere(context(TEXT.format(asked=asked)), "ask")
    value = call.arguments[0].value
    assert (ex.dotted(table_of(value)), ex.dotted(root_of(value))) == (table, root)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("inner(first)", ["named", "rows", "first", "given"]),
        ("inner(first.rows)", ["named", "rows", "first.rows"]),
        ("inner(first); inner(given)", ["named", "rows"]),
        ("inner(list(first))", ["named", "rows", None]),
        ("", ["named", "rows"]),
    ],
)
def test_names_of_a_value_over_calls(
    context: MakeContext, calls: str, expected: list[str | None]
) -> None:
    text = f"""
def inner(rows):
    named = rows
    ask(named)

def main(given):
    first = given
    {calls or "pass"}
"""
    program = context(text)
    (call,) = calls_anywhere(program, "ask")
    named, root = call.arguments[0].value, program.solver.root(call.scope)
    assert [ex.dotted(name) for name in names_over_calls(program, named, root)] == expected


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("inner((given.rows, 3))", "given.rows"),
        ("both = [given.rows, 3]; inner(both)", "given.rows"),
        ("inner((given.rows, 3)); inner((given.rest, 3))", None),
        ("inner(list(given))", None),
        ("inner(given.pair)", None),
    ],
)
@pytest.mark.parametrize(
    "taken", ["first, second = pair", "first = pair[0]", "other = pair; first, *_ = other"]
)
def test_origin_of_an_item_over_calls(
    context: MakeContext, taken: str, calls: str, expected: str | None
) -> None:
    text = f"""
def inner(pair):
    {taken}
    ask(first)

def main(given):
    {calls}
"""
    program = context(text)
    (call,) = calls_anywhere(program, "ask")
    asked, root = call.arguments[0].value, program.solver.root(call.scope)
    origin, _ = origin_over_calls(program, asked, root)
    assert ex.dotted(origin) == expected
