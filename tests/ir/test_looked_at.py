"""What is noted of the fields of an index that somebody reads, and of names it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import (
    NAMES,
    TOLD,
    ByKind,
    Names,
    arm,
    looked_at,
    plain,
    told_by_code,
    unlooked,
)
from dlint.ir.lower import lower
from dlint.ir.module import ModuleIndex, Scope
from dlint.ir.remembering import forget
from dlint.ir.serial import written
from dlint.workspace.source import Source

TEXT = "def f(x):\n    return g(x, 1)\n\n\ny = f(2)\n"


@pytest.fixture
def index() -> ModuleIndex:
    return lower(Source("/a.py", TEXT))


@told_by_code
def names_called(scope: Scope, beginning: str) -> list[str]:
    names = (call.name or "" for call in scope.calls)
    return [name for name in names if name.startswith(beginning)]


def _read(index: ModuleIndex, reads: Callable[[ModuleIndex], object]) -> dict[str, set[str]]:
    _, objects = written(index)
    arm(objects)
    reads(index)
    fields, _ = looked_at(objects, {})
    read = {kind: {name for name, bits in of.items() if bits != "0"} for kind, of in fields.items()}
    return {kind: names for kind, names in read.items() if names}


@pytest.mark.parametrize(
    ("reads", "found"),
    [
        (lambda index: index.path, {}),
        (lambda index: index.body.span, {}),
        (lambda index: index.scopes, {"ModuleIndex": {"scopes"}}),
        (lambda index: index.body.calls[0].function, {"Scope": {"calls"}}),
        (
            lambda index: index.body.calls[0].arguments[0].value.value,
            {"Scope": {"calls"}, "Call": {"arguments"}, "Constant": {"value"}},
        ),
    ],
)
def test_fields_count_as_read_once_somebody_reads_them(
    index: ModuleIndex, reads: Callable[[ModuleIndex], object], found: dict[str, set[str]]
) -> None:
    assert _read(index, reads) == found


def test_what_was_read_is_told_of_each_object(index: ModuleIndex) -> None:
    _, objects = written(index)
    arm(objects)
    assert index.body.calls[0].name == "f"
    fields, _ = looked_at(objects, {})
    scopes = [one for one in objects if isinstance(one, Scope)]
    assert int(fields["Scope"]["calls"], 16) == 1 << scopes.index(index.body)


def test_an_object_of_which_all_is_read_is_as_it_was(index: ModuleIndex) -> None:
    _, objects = written(index)
    (call,) = index.body.calls
    arm(objects)
    assert (type(call) is ex.Call, plain(type(call)), isinstance(call, ex.Call)) == (
        False,
        ex.Call,
        True,
    )
    assert [argument.keyword for argument in call.arguments] == [None]
    assert type(call) is ex.Call


def test_walks_go_into_armed_objects(index: ModuleIndex) -> None:
    def parts() -> list[str]:
        return [plain(type(part)).__name__ for part in walk.parts(index.scopes[1].body)]

    before = parts()
    arm(written(index)[1])
    assert parts() == before == ["Call", "Reference", "Reference", "Constant"]


def test_a_table_by_kinds_knows_armed_objects(index: ModuleIndex) -> None:
    arm(written(index)[1])
    with unlooked():
        (call,) = index.body.calls
    table = ByKind({ex.Call: "a call"})
    assert (table[type(call)], table[int]) == ("a call", None)


def test_nothing_is_noted_while_nobody_looks(index: ModuleIndex) -> None:
    def read(index: ModuleIndex) -> None:
        with unlooked():
            assert index.body.calls

    assert _read(index, read) == {}


def test_a_question_that_code_answers_is_noted_in_place_of_what_it_reads(
    index: ModuleIndex,
) -> None:
    forget()
    _, objects = written(index)
    arm(objects)
    assert names_called(index.body, "f") == ["f"]
    fields, questions = looked_at(objects, TOLD.by_part())
    assert {bits for of in fields.values() for bits in of.values()} == {"0"}
    number = next(n for n, one in enumerate(objects) if one is index.body)
    assert questions == [[f"{__name__}:names_called", "f", [number]]]
    forget()
    assert TOLD.by_part() == {}


def test_names_are_noted_that_tables_are_asked_for() -> None:
    forget()
    names = Names("/a.py", "calls", {"f": [1], "g": [2], "h": [3]})
    assert (names["f"], names.get("x"), "y" in names) == ([1], (), False)
    assert names.among(["g", "z"]) == {"g"}
    asked, missed, everywhere = NAMES.to_json()
    assert {*asked["/a.py"]["calls"]} == {"f", "g"}
    assert ({*missed["calls"]}, everywhere) == ({"x", "y", "z"}, {})
    forget()


@pytest.mark.parametrize(
    "ask", [list, len, lambda names: names.keys(), lambda n: n.values(), lambda n: n.items()]
)
def test_all_names_count_as_asked_for_where_a_table_is_gone_through(
    ask: Callable[[Names], object],
) -> None:
    forget()
    names = Names("/a.py", "calls", {"f": [1]})
    assert names.unnoted() == {"f": [1]}
    assert NAMES.to_json()[0] == {}
    ask(names)
    assert NAMES.to_json()[0] == {"/a.py": {"calls": [None]}}
    forget()
