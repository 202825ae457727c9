"""Which edits of a module change what was read of it, and where what was read lies then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dlint.ir import expressions as ex
from dlint.ir.looked_at import TOLD, Looked, arm, looked_at, told_by_code
from dlint.ir.lower import lower
from dlint.ir.module import ModuleIndex, Scope, Statement
from dlint.ir.remembering import forget
from dlint.ir.serial import written
from dlint.ir.unchanged import Read, Unchanged, unchanged
from dlint.workspace.source import Source

TEXT = "def f(x):\n    y = 1\n    return g(x, 1)\n\n\ndef h():\n    pass\n"
Reads = Callable[[ModuleIndex], object]


@told_by_code
def last(scope: Scope) -> Statement:
    return scope.body.statements[-1]


def _loaded(text: str) -> Read:
    index = lower(Source("/a.py", text))
    return Read(index, written(index)[1])


def _looked(text: str, reads: Reads) -> Looked:
    forget()
    read = _loaded(text)
    arm(read.objects)
    reads(read.index)
    return looked_at(read.objects, TOLD.by_part())


def _after(text: str, looked: Looked, asked: Reads = lambda _: ()) -> Unchanged | None:
    before, after = _loaded(TEXT), _loaded(text)
    pairs = [(asked(before.index), asked(after.index))]
    return unchanged(before, after, looked, pairs, {f"{__name__}:last": last}.get)


def _read(looked: Looked) -> object:
    fields, questions = looked
    return {(k, f): bits for k, of in fields.items() for f, bits in of.items() if bits != "0"}, (
        questions
    )


def _calls(index: ModuleIndex) -> object:
    return [call.function for call in index.scopes[1].calls]


def _given(index: ModuleIndex) -> object:
    return [argument.value for call in index.scopes[1].calls for argument in call.arguments]


def _values(index: ModuleIndex) -> object:
    given: Any = _given(index)
    return [value.value for value in given if isinstance(value, ex.Constant)]


@pytest.mark.parametrize(
    ("reads", "before", "after", "is_same"),
    [
        (_calls, "y = 1", "y = 2", True),
        (_calls, "y = 1", "y = 1\n    z = 3", True),
        (_calls, "y = 1", "y = k()", False),
        (_calls, "g(x, 1)", "g(x, 2)", True),
        (_calls, "g(x, 1)", "k(x, 1)", False),
        (_calls, "pass", "return k()", True),
        (_given, "g(x, 1)", "g(x, 2)", True),
        (_given, "g(x, 1)", "g(x)", False),
        (_values, "g(x, 1)", "g(x, 2)", False),
        (_values, "g(x, 1)", "g(x, True)", False),
        (_values, "y = 1", "y = 1.5", True),
        (_calls, "def h():", "class A: pass\ndef h():", False),
    ],
)
def test_an_edit_changes_what_was_read_of_it(
    reads: Reads, before: str, after: str, is_same: bool
) -> None:
    found = _after(TEXT.replace(before, after), _looked(TEXT, reads))
    assert (found is not None) is is_same


def test_offsets_and_objects_that_were_read_lie_elsewhere() -> None:
    looked = _looked(TEXT, _calls)
    text = TEXT.replace("y = 1", "y = 1\n    z = k = 3")
    found = _after(text, looked)
    assert found is not None
    assert found.places[TEXT.index("g(")] == text.index("g(")
    assert _read(found.looked) == _read(_looked(text, _calls))


def test_what_was_asked_by_name_has_to_be_the_same() -> None:
    looked = _looked(TEXT, lambda _: None)
    text = TEXT.replace("y = 1", "y = k()")
    assert _after(text, looked) is not None
    assert _after(text, looked, lambda index: index.scopes[1].calls) is None


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("y = 1", "y = k()", True),
        ("return g", "yield g", False),
        ("return g(x, 1)", "return g(x, 1)\n    z = 1", False),
    ],
)
def test_what_code_answered_has_to_be_answered_so(before: str, after: str, is_same: bool) -> None:
    def reads(index: ModuleIndex) -> None:
        assert last(index.scopes[1])

    looked = _looked(TEXT, reads)
    text = TEXT.replace(before, after)
    found = _after(text, looked)
    assert (found is not None) is is_same
    assert found is None or _read(found.looked) == _read(_looked(text, reads))


def test_a_question_that_nobody_answers_any_more_ends_it() -> None:
    looked = _looked(TEXT, lambda index: last(index.scopes[1]))
    before, after = _loaded(TEXT), _loaded(TEXT)
    assert unchanged(before, after, looked, (), lambda _: None) is None


@told_by_code
def passed(scope: Scope, span: tuple[int, int]) -> list[Statement]:
    return [s for s in scope.body.statements if s.span[1] <= span[0]]


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        ("def h", "a = 1\n\n\ndef h", True),
        ("def f", "# why\ndef f", True),
        ("    return", "    z = 2\n    return", False),
    ],
)
def test_a_question_about_a_place_is_asked_where_that_lies_then(
    before: str, after: str, holds: bool
) -> None:
    def reads(index: ModuleIndex) -> object:
        (call,) = index.scopes[1].calls
        return passed(index.scopes[1], call.span)

    looked = _looked(TEXT, reads)
    text = TEXT.replace(before, after, 1)
    asked = f"{__name__}:passed"
    calls = [_loaded(one) for one in (TEXT, text)]
    pairs = [tuple(one.index.scopes[1].calls[0] for one in calls)]
    looked[0] = {}
    found = unchanged(calls[0], calls[1], looked, pairs, {asked: passed}.get)  # type: ignore[arg-type]
    assert (found is not None) is holds
    if found is not None:
        (question,) = found.looked[1]
        start, end = question[1]
        assert text[start:end] == "g(x, 1)"
