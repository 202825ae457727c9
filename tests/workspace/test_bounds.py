"""What nests too deeply, or stands in too long a line, is told before the parser is lost in it."""

from __future__ import annotations

import pytest

from dlint.analyses.control.completions import is_dead
from dlint.ir.lower import lower
from dlint.ir.walk import statements
from dlint.workspace.bounds import deepest, may_be_deep
from dlint.workspace.parsing import SyntaxProblem
from dlint.workspace.source import Source
from tests.ends import calls_in, comes_to_an_end

MANY = 5_000
DEEP = {
    "calls": "x = f" + "(1)" * MANY,
    "methods": "x = f" + ".a(1)" * MANY,
    "methods, a line each": "x = (f\n" + "    .a(1)\n" * MANY + ")",
    "subscripts": "x = f" + "[1]" * MANY,
    "attributes": "x = f" + ".a" * MANY,
    "sum": "x = 1" + " + 1" * MANY,
    "sum, a line each": "x = (1\n" + "    + 1\n" * MANY + ")",
    "and": "x = 1" + " and 1" * MANY,
    "comparison": "x = 1" + " < 1" * MANY,
    "conditionals": "x = " + "1 if a else " * MANY + "0",
    "lambdas": "x = " + "lambda: " * MANY + "0",
    "not": "x = " + "not " * MANY + "0",
    "minus": "x = " + "-" * MANY + "0",
    "brackets": "x = " + "(" * MANY + ")" * MANY,
    "elif": "if a: pass\n" + "elif b: pass\n" * MANY,
    "blocks": "".join(" " * depth + "if a:\n" for depth in range(1_200)) + " " * 1_200 + "pass\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=list(DEEP))
def test_what_is_too_deep_is_refused_at_once(text: str) -> None:
    with comes_to_an_end():
        with pytest.raises(SyntaxProblem) as caught:
            lower(Source("m.py", text + "\n"))
        assert "nested too deeply to read" in caught.value.message


def test_a_line_of_very_many_calls_is_refused() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower(Source("m.py", "y = 1\nx = [" + "f(a, 'b'), " * 80_000 + "]\n"))
    assert (caught.value.row, caught.value.message) == (2, "the line is too long to read")


def test_a_line_with_a_long_string_is_read() -> None:
    index = lower(Source("m.py", f"x = '{'a b ' * 200_000}'\n"))
    assert len(index.body.body.statements) == 1


def test_a_large_file_that_is_flat_need_not_be_asked_for_its_depth() -> None:
    text = "".join(f"def f{n}(a, b):\n    c = a.x(b) + b[1]\n    return c\n" for n in range(9_000))
    assert not may_be_deep(text)
    assert deepest(text)[1] < 10


def _asked_for_the_dead(lines: int) -> int:
    text = "def f(a, c):\n" + "    c = g(c, a)\n" * lines + "    return c\n    c = 1\n"
    scope = lower(Source("m.py", text)).scopes[1]

    def work() -> None:
        assert sum(is_dead(statement) for statement in statements(scope.body)) == 1

    return calls_in(work)


def test_a_long_function_takes_time_in_proportion() -> None:
    assert _asked_for_the_dead(1_000) < 2.2 * _asked_for_the_dead(500)
