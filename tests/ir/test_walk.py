"""Walks over expressions and statements."""

from __future__ import annotations

import pytest

from dlint.ir import expressions as ir
from dlint.ir import walk
from dlint.ir.module import Loop, ModuleIndex, Statement

NESTED = """
for a in x:
    while b:
        inner()
    else:
        otherwise()
    def f():
        elsewhere()
try:
    with c:
        body()
except d():
    handled()
finally:
    match e:
        case 1:
            matched()
"""


def _statement_of(index: ModuleIndex, name: str) -> Statement:
    return next(
        call.statement for scope in index.scopes for call in scope.calls if call.name == name
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a.z[b:c](d, *e, z=f)", "abcdef"),
        ("a[b, c]", "abc"),
        ("{a: b, **c}", "abc"),
        ("(a if b else c) or not -d + (e < f)", "bacdef"),
        ("[(a, z) for z in b if c]", "bcaz"),
        ("{a: b for z in c}", "cab"),
        ("f'{a}{b!r:{c}}'", "abc"),
        ("(yield a), (yield)", "a"),
        ("await a", "a"),
        ("[*a, {b}]", "ab"),
        ("lambda: a", ""),
    ],
)
def test_walk_reaches_every_name(module, text: str, names: str) -> None:
    value = module(text).body.body.statements[0].value
    found = [part.name for part in walk.walk(value) if isinstance(part, ir.Reference)]
    assert "".join(found) == names


def test_walk_follows_no_reference(module) -> None:
    value = module("x = f()\nx").body.body.statements[1].value
    assert [*walk.walk(value)] == [value]


def test_walk_goes_through_definitions_values(module) -> None:
    index = module("for i, x in f(a): pass\nwith b as c: pass\nif d: e = 1\n")
    values = [definition.value for definition in index.body.definitions]
    values.append(index.body.final["e"].definition.value)
    names = [[p.name for p in walk.walk(v) if isinstance(p, ir.Reference)] for v in values]
    assert names == [["f", "a"], ["f", "a"], ["b"], [], ["d", "e", "e"]]


def test_statements_come_in_order_and_stay_in_their_scope(module) -> None:
    index = module(NESTED)
    kinds = [type(statement).__name__ for statement in walk.statements(index.body.body)]
    assert " ".join(kinds) == (
        "Loop Loop Evaluate Evaluate Define Try With Evaluate Bind Evaluate Match Bind Evaluate"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("f(a)", ["f(a)"]),
        ("a.b = c = d", ["d", "a.b"]),
        ("a[b] += c", ["a[b] += c"]),
        ("return", []),
        ("return a", ["a"]),
        ("raise a", ["a"]),
        ("if a: b", ["a"]),
        ("for a in b: c", ["b"]),
        ("while a: b", ["a"]),
        ("with a as b, c: d", ["a", "c"]),
        ("try: a\nfinally: b", []),
        ("match a:\n  case b: c", ["a"]),
        ("import a", []),
        ("@a\ndef f(b: c = d, *e: g): h", ["a", "c", "d", "g"]),
        ("@a\nclass C(b): c", ["a", "b"]),
    ],
)
def test_expressions_of_a_statement(module, text: str, written: list[str]) -> None:
    (statement, *_) = module(text).body.body.statements
    assert [text[slice(*e.span)] for e in walk.expressions(statement)] == written


def test_loops_around_a_statement(module) -> None:
    index = module(NESTED)
    outer, inner = [s for s in walk.statements(index.body.body) if isinstance(s, Loop)]
    assert [*walk.enclosing_loops(_statement_of(index, "inner"))] == [inner, outer]
    assert [*walk.enclosing_loops(_statement_of(index, "otherwise"))] == [outer]
    assert [*walk.enclosing_loops(_statement_of(index, "elsewhere"))] == []


def test_ancestors(module) -> None:
    statement = _statement_of(module(NESTED), "matched")
    assert [type(s).__name__ for s in walk.ancestors(statement)] == ["Match", "Try"]


@pytest.mark.parametrize(
    ("name", "tests"),
    [("inner", "ba"), ("between", "a"), ("behind", "d"), ("otherwise", ""), ("outside", "")],
)
def test_conditions_that_a_statement_stands_behind(module, name: str, tests: str) -> None:
    index = module("""
if a:
    between()
    if b:
        inner()
    for c in d:
        if d:
            behind()
else:
    otherwise()
outside()
""")
    found = walk.conditions(_statement_of(index, name))
    assert "".join(owner.test.name for owner in found) == tests
