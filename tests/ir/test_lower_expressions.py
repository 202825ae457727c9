"""Each kind of expression, lowered."""

from __future__ import annotations

import pytest

from dlint.ir import expressions as ir
from dlint.ir.module import Evaluate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1_000", "1000"),
        ("0x1F", "31"),
        ("1e-3", "0.001"),
        (".5", "0.5"),
        ("True", "True"),
        ("None", "None"),
        ("2j", "opaque()"),
        ("...", "opaque()"),
        ("0x" + "f" * 5000, "opaque()"),
        ("-1", "(- 1)"),
        ("not x", "(not ?x)"),
        ("a + b * c ** d", "(?a + (?b * (?c ** ?d)))"),
        ("a @ b // c", "((?a @ ?b) // ?c)"),
        ("a and b or c", "((?a and ?b) or ?c)"),
        ("a is not b", "(?a is not ?b)"),
        ("a not in b", "(?a not in ?b)"),
        ("a < b <= c", "((?a < ?b) and (?b <= ?c))"),
        ("a != (b == c)", "(?a != (?b == ?c))"),
        ("a if t else b", "(?a if ?t else ?b)"),
        ("a.b.c", "?a.b.c"),
        ("f(x, *a, k=1, **b)", "?f(?x, *?a, k=1, **?b)"),
        ("f(x for x in y)", "?f(generator[each ?y of ?y if ])"),
        ("x[0]", "?x[0]"),
        ("x[1:]", "?x[1::]"),
        ("x[a:b:c, ...]", "?x[tuple(?a:?b:?c, opaque())]"),
        ("x[a,]", "?x[tuple(?a)]"),
        ("x[*a]", "?x[*?a]"),
        ("()", "tuple()"),
        ("1,", "tuple(1)"),
        ("[1, *a]", "list(1, *?a)"),
        ("{1, 2}", "set(1, 2)"),
        ("{}", "{}"),
        ("{'a': 1, **b}", "{'a': 1, : ?b}"),
        ("await f()", "await ?f()"),
        ("(yield)", "yield "),
        ("(yield x)", "yield ?x"),
        ("(yield from x)", "yield from ?x"),
        ("[f(x) for x in xs if x > 1]", "list[?f(each ?xs) of ?xs if (each ?xs > 1)]"),
        ("{x for x in xs}", "set[each ?xs of ?xs if ]"),
        ("{k: v for k, v in d}", "dict[#0 of each ?d: #1 of each ?d of ?d if ]"),
        ("[y for x in a for y in x]", "list[each each ?a of ?a each ?a if ]"),
        ("lambda: 1", "def <lambda>"),
        ("(x := 1) + x", "(1 + 1)"),
    ],
)
def test_expression(module, show, text: str, expected: str) -> None:
    statement = module(text).body.body.statements[0]
    assert isinstance(statement, Evaluate)
    assert show(statement.value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a'", "'a'"),
        ("''", "''"),
        ('"""a\nb"""', r"'a\nb'"),
        ("''''a'''", repr("'a")),
        ("r'\\d'", repr("\\d")),
        (r"'\x41\u0042\103\n\q'", repr("ABC\n\\q")),
        (r"'\N{BULLET}'", repr("•")),
        ("'a\\\nb'", "'ab'"),
        (r"'\''", repr("'")),
        ("u'a'", "'a'"),
        ("b'a'", "opaque()"),
        ("'a' \"b\" 'c'", "'abc'"),
        ("b'a' b'b'", "opaque(opaque(), opaque())"),
        ("f'a{x}b'", "f('a' ?x 'b')"),
        ("f'{{a}}'", "'{a}'"),
        ("'a' f'{x}' 'b'", "f('a' ?x 'b')"),
        ("f'{x!s}'", "f(?x)"),
        ("f'{x!r}'", "f(opaque(?x))"),
        ("f'{x:>{w}}'", "f(opaque(?x, '>', ?w))"),
        ("f'{x=}'", "f(opaque(?x))"),
        ("f'{f(x)}'", "f(?f(?x))"),
        ("f'\\t{x}'", r"f('\t' ?x)"),
        ("t'a{f(x)}'", "opaque(?f(?x))"),
    ],
)
def test_string(module, show, text: str, expected: str) -> None:
    assert show(module(text).body.body.statements[0].value) == expected


def test_strings_know_the_newlines_of_the_file(module) -> None:
    value = module("'''a\r\nb'''\r\n").body.body.statements[0].value
    assert isinstance(value, ir.Constant)
    assert value.value == "a\nb"


def test_the_middle_of_a_chain_is_lowered_once(module) -> None:
    index = module("a < f() < b")
    assert len(index.body.calls) == 1


def test_calls_stand_in_the_order_of_evaluation(module) -> None:
    index = module("x[i()] = a(b(), c=d()) if t() else e()\n[g() for y in h()]")
    assert [call.name for call in index.body.calls] == ["t", "b", "d", "a", "e", "i", "h", "g"]


def test_calls_know_their_statement_and_scope(module) -> None:
    index = module("def f():\n    while g():\n        h(lambda: k())\n")
    function, anonymous = index.scopes[1:]
    (loop,) = function.body.statements
    first, second = function.calls
    assert (first.statement, first.scope) == (loop, function)
    assert second.statement is loop.body.statements[0]
    (inner,) = anonymous.calls
    assert inner.statement is anonymous.body.statements[0]
