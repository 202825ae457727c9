"""Each kind of statement, lowered."""

from __future__ import annotations

import pytest

from dlint.ir.module import Bind, Define, Evaluate, If, Jump, Loop, Match, Return, Try, With


def _first(index):
    return index.body.body.statements[0]


def _names(index) -> list[str]:
    return [type(statement).__name__ for statement in index.body.body.statements]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("f()", [Evaluate]),
        ("assert a, f()", [Evaluate]),
        ("del a.b", [Evaluate]),
        ("a = 1; b = 2", [Bind, Bind]),
        ("a: int = 1", [Bind]),
        ("a: int", []),
        ("pass", []),
        ("a += 1", [Bind]),
        ("return 1", [Return]),
        ("raise E from f()", [Jump]),
        ("while a: break", [Loop]),
        ("with a: pass", [With]),
        ("try: pass\nfinally: pass", [Try]),
        ("try: pass\nexcept* E: pass", [Try]),
        ("match a:\n  case 1: pass", [Match]),
        ("import a, b", [Define]),
        ("from a import *", [Define]),
        ("lazy import a", [Define]),
        ("def f(): pass", [Define]),
        ("class C: pass", [Define]),
        ("type T = int", [Bind]),
        ("if a: pass", [If]),
    ],
)
def test_kind(module, text: str, kinds: list[type]) -> None:
    assert [type(statement) for statement in module(text).body.body.statements] == kinds


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("@a\ndef f():\n    pass  # done\n\n\nx", "@a\ndef f():\n    pass"),
        (
            "for i in x:  # all\n    f()\nelse:\n    g()\n",
            "for i in x:  # all\n    f()\nelse:\n    g()",
        ),
        ("a = (1)  # b\n", "a = (1)"),
        ("f(a,\n  b);g()\n", "f(a,\n  b)"),
        ("async with a: pass\n", "async with a: pass"),
        ("if a: b\n\n# c\n", "if a: b"),
    ],
)
def test_span(module, text: str, written: str) -> None:
    assert text[slice(*_first(module(text)).span)] == written


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("for i in (x):  # a\n    f()", "for i in (x):"),
        ("while (  # :\n  a[1:]\n): pass", "while (  # :\n  a[1:]\n):"),
        ("async for i in x: pass", "async for i in x:"),
    ],
)
def test_loop_header(module, text: str, header: str) -> None:
    assert text[slice(*_first(module(text)).header)] == header


def test_what_a_loop_goes_over_is_seen_behind_its_name(module) -> None:
    bind, _, loop = module("a = range(3)\nb = a\nfor x in b:\n    pass\n").body.body.statements
    assert loop.source is bind.value
    assert loop.definitions[0].value.source is bind.value
    waiting = _first(module("while x:\n    pass\n"))
    assert waiting.source is None


def test_elif_starts_at_its_keyword(module) -> None:
    text = "if a: b\nelif c: d\n"
    (nested,) = _first(module(text)).otherwise.statements
    assert text[slice(*nested.span)] == "elif c: d"


def test_blocks_know_their_owner_and_role(module) -> None:
    statement = _first(module("try: a\nexcept E: b\nelse: c\nfinally: d\n"))
    blocks = (statement.body, *statement.handlers, statement.otherwise, statement.final)
    assert [block.role for block in blocks] == ["body", "handler", "else", "finally"]
    assert all(block.owner is statement for block in blocks)
    assert all(inner.block is block for block in blocks for inner in block.statements)


def test_stores_know_what_is_written(module, show) -> None:
    index = module("a.b, c[0] = d = f()\n")
    statement = _first(index)
    written = [(show(store.target), show(store.value)) for store in statement.stores]
    assert written == [("?a.b", "#0 of ?f()"), ("?c[0]", "#1 of ?f()")]
    assert index.body.stores == [*statement.stores]
    assert [definition.name for definition in statement.definitions] == ["d"]


def test_augmented_attributes_are_stores(module, show) -> None:
    index = module("f().x += 1\n")
    (store,) = index.body.stores
    assert (show(store.target), show(store.value)) == ("?f().x", "(?f().x + 1)")
    assert len(index.body.calls) == 1


def test_targets_of_loops_and_with_may_be_stores(module, show) -> None:
    index = module("for a.b in x: pass\nwith c as d[0]: pass\n[0 for e.f in y]")
    assert [show(store.target) for store in index.body.stores] == ["?a.b", "?d[0]", "?e.f"]
    assert [type(store.statement) for store in index.body.stores] == [Loop, With, Evaluate]


def test_handlers_start_with_what_they_catch(module, show) -> None:
    handler = _first(module("try: a\nexcept (A, f()) as e: b\n")).handlers[0]
    caught, _ = handler.statements
    assert isinstance(caught, Bind)
    assert show(caught.value) == "opaque(tuple(?A, ?f()))"
    assert [definition.name for definition in caught.definitions] == ["e"]


def test_cases_start_with_their_pattern_and_guard(module, show) -> None:
    case = _first(module("match s:\n  case C(a, k=[1, *b]) as c if g(a): d\n")).cases[0]
    pattern, guard, _ = case.statements
    assert show(pattern.value) == "opaque(?C, 1)"
    assert {definition.name for definition in pattern.definitions} == {"a", "b", "c"}
    assert show(guard.value) == "?g(opaque())"


def test_star_imports_are_kept_apart(module) -> None:
    index = module("def f():\n    from ..a.b import *\n")
    (star,) = index.star_imports
    assert (star.module, star.name, star.level) == ("a.b", "*", 2)


def test_async_twins(module) -> None:
    text = "async def f():\n    async for i in x: pass\n    async with y as z: pass\n"
    function = module(text).scopes[1]
    assert function.is_async
    assert [type(statement) for statement in function.body.statements] == [Loop, With]


def test_returns_and_yields_of_a_scope(module, show) -> None:
    index = module("def f():\n    x = yield 1\n    yield from g()\n    return 2\n    return\n")
    function = index.scopes[1]
    assert [show(value) for value in function.returns] == ["2"]
    assert [show(value) for value in function.yields] == ["yield 1", "yield from ?g()"]
