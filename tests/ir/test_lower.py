"""Whole modules: what cannot be read, and what is deep."""

from __future__ import annotations

import ast
import gc
import sys
from contextlib import suppress

import libcst as cst
import pytest

from dlint.ir.lower import lower
from dlint.ir.lower_context import EXPRESSIONS, STATEMENTS
from dlint.workspace.parsing import SyntaxProblem, parse
from dlint.workspace.source import Source


@pytest.mark.parametrize(
    ("text", "row", "column", "message"),
    [
        ("x = 1\nif True\n    y\n", 2, 8, "expected ':'"),
        ("é = 'ü'; ß = $\n", 1, 14, "invalid syntax"),
        ("print 'a'\n", 1, 1, "Missing parentheses"),
        ("x = 1\ny = 'a\0b'\n", 2, 7, "null bytes"),
        ("x = 1\ny = '\ud800'\n", 2, 6, "'\\ud800' cannot be encoded"),
        ("x = " + "(" * 3000 + ")" * 3000, 1, 1, "nested"),
        ("[(), " * 3000 + "]" * 3000, 1, 1, "nested"),
        ("if x:\n  if y:\n\tz\n", 3, 1, ""),
        ("# coding: a\nx = (\n", 2, 5, "never closed"),
        (
            "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 200)),
            101,
            1,
            "too many levels",
        ),
    ],
)
def test_problems_are_where_python_sees_them(
    text: str, row: int, column: int, message: str
) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower(Source("m.py", text))
    assert message in caught.value.message
    assert caught.value.row == row
    if message not in ("nested", "too many levels"):
        assert caught.value.column == column


def test_what_only_libcst_refuses_is_a_problem_too() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower(Source("m.py", "x = (\n" + "'a' " * 6000 + ")"))
    assert caught.value.row == 2
    assert caught.value.message.startswith("expected one of")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_spaces_deeper_than_a_tab(newline: str) -> None:
    text = "class A:\n\tdef f(self):\n          'a\\\n\tb'\n\t# c\n          g(\n\t1)\n\tx = 2\n"
    source = Source("m.py", text.replace("\n", newline))
    tree = parse(source)
    assert len(tree.code) == len(source.text)
    assert ast.dump(ast.parse(tree.code)) == ast.dump(ast.parse(source.text))
    assert lower(source).body.body.statements


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["a"] * 1000),
        "x = a" + ".b()" * 400,
        "x = " + " and ".join(["a"] * 1000),
        "x = " + "not " * 1000 + "a",
        "if a: pass\n" + "elif b: pass\n" * 1000,
        "x = " + "[" * 99 + "]" * 99,
        "x = '" + "(" * 500 + "'",
    ],
)
def test_depth(text: str) -> None:
    assert lower(Source("m.py", text)).body.body.statements


@pytest.mark.parametrize("text", ["x = 1", "x = "])
def test_the_interpreter_is_left_as_it_was(text: str) -> None:
    limit = sys.getrecursionlimit()
    with suppress(SyntaxProblem):
        lower(Source("m.py", text))
    assert sys.getrecursionlimit() == limit
    assert gc.isenabled()
    with pytest.raises(cst.CSTValidationError):
        cst.Name("")


def test_a_fault_of_the_lowering_is_no_problem_of_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dlint.ir.lower.quick_tree", lambda *_: {}["odd"])
    with pytest.raises(KeyError):
        lower(Source("m.py", "x = 1"))


def _concrete(*families: type) -> list[type]:
    kinds = [kind for kind in vars(cst).values() if isinstance(kind, type)]
    return [k for k in kinds if issubclass(k, families) and not k.__name__.startswith("Base")]


def test_every_expression_and_statement_of_libcst_is_lowered() -> None:
    statements = _concrete(cst.BaseStatement, cst.BaseSmallStatement)
    assert [kind for kind in _concrete(cst.BaseExpression) if kind not in EXPRESSIONS] == []
    assert [kind for kind in statements if kind not in STATEMENTS] == []


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "\r\n", "\x0c"])
def test_empty_modules(text: str) -> None:
    assert lower(Source("m.py", text)).body.body.statements == []
