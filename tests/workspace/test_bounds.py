"""What nests too deeply, or stands in too long a line, is told before the parser is lost in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlint.analyses.control.completions import is_dead
from dlint.ir.lower import lower
from dlint.ir.walk import statements
from dlint.workspace import parse_cost
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


PATTERNS = {
    "lists": ("[" * 11, "]" * 11),
    "mappings": ("{1: " * 6, "}" * 6),
    "classes, behind the end of a line": ("\\\n C(x=" + "C(" * 10, ")" * 11),
    "beside a string": ("('[', " + "'''\n''' | " + "(" * 11, ")" * 12),
}
"""Of 20 brackets, each would take seconds, and of 40 none would end."""


@pytest.mark.parametrize(("opened", "closed"), PATTERNS.values(), ids=list(PATTERNS))
def test_a_pattern_that_would_take_for_ever_is_refused(opened: str, closed: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower(Source("m.py", f"match x:\n    case a: pass\n    case {opened}y{closed}: pass\n"))
    assert caught.value.row == 3
    assert caught.value.message.startswith("pattern nested too deeply to read")


def test_what_only_looks_like_a_pattern_is_read() -> None:
    deep = "[" * 11 + "]" * 11
    text = f"case = {deep}\ncase({deep})\ncase.a: b = {deep}\n"
    text += f"match x:\n    case [[a]] if f({deep}): pass\n    case {'[' * 10}y{']' * 10}: pass\n"
    assert len(lower(Source("m.py", text)).body.body.statements) >= 4


def test_a_parse_is_reckoned_by_its_tokens_and_what_they_stand_in() -> None:
    flat, deep = "a.b(c)\n" * 4_000, f"{'[' * 60}a{']' * 60}\n" * 300
    assert parse_cost.megabytes(flat) < 200 < 1_500 < parse_cost.megabytes(deep)
    for apart in ("'''[[[['''\n", "# [[[[\n", "f'{[a][0]}'\n", "'\\'[[[['\n", 'f"{x["a"]}"\n'):
        assert parse_cost.megabytes(apart * 4_000) < 300, apart
    assert parse_cost.megabytes("[f']'," * 900 + "]" * 900) > 1_000


_MEMORY = """
import sys
from dlint.frontends.modules import Modules
from dlint.ir import lower
from dlint.workspace.reading import Sources
def kilobytes(name):
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(name))
before = kilobytes("VmRSS")
index = Modules(Sources(), None).get(sys.argv[1])
print(kilobytes("VmHWM") - before, kilobytes("VmRSS") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="of the C library of GNU")
def test_what_a_large_parse_took_is_given_back(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = [\n" + "a + f(b),\n" * 8_000 + "]\n\f\n")
    command = [sys.executable, "-c", _MEMORY, str(tmp_path / "a.py")]
    took, kept = map(int, subprocess.check_output(command, text=True).split())
    assert took > 60_000
    assert kept < took // 2


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
