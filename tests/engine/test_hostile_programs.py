"""Programs that are made to cost: deep, large, with numbers that nobody should write out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Outcome, Request
from dlint.workspace.reading import Sources
from tests.ends import calls_in, comes_to_an_end

HEAD = "import torch\nfrom torch.utils.data import DataLoader, Dataset\n"
LOADER = "DataLoader([], num_workers=x, timeout=5)\n"


def _checked(folder: Path, text: str) -> Outcome:
    path = folder / "a.py"
    path.write_text(HEAD + text)
    rules = frozenset(rule_docs.summaries())
    return analyse(Request(folder, [str(path)], frozenset({str(path)}), rules), Sources())


def _elifs(count: int, variable: str, body: str, margin: str = "") -> str:
    tests = (
        f"{'el' if n else ''}if {variable} == {n}:\n{margin}    {body}\n" for n in range(count)
    )
    return "".join(margin + test for test in tests)


PROGRAMS = {
    "sum": "x = 0" + " + 0" * 900 + "\n" + LOADER,
    "and": "x = 0" + " and 0" * 900 + "\n" + LOADER,
    "lambdas": "x = " + "lambda: " * 900 + "0\n" + LOADER,
    "conditionals": "x = " + "1 if a else " * 400 + "0\n" + LOADER,
    "elifs in a loop": "for b in DataLoader([], pin_memory=True):\n"
    "    c = b.to('cuda', non_blocking=True)\n" + _elifs(300, "b", "y = c.cpu()", "    ") + LOADER,
    "classes": "class C0(Dataset):\n    def __getitem__(self, i): return 1\n"
    + "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, 900))
    + "DataLoader(C899(), timeout=5)\n",
    "two calls in each function": "def f0(a): return a\n"
    + "".join(f"def f{n}(a): return f{n - 1}([a, f{n - 1}(a)])\n" for n in range(1, 200))
    + "x = f199(1)\n"
    + LOADER,
    "shift": "x = 1 << 50_000_000\n" + LOADER,
    "power": "x = 10 ** 10 ** 9\ny = 3 ** 40_000_000\n" + LOADER,
    "digits": "x = " + "9" * 100_000 + "\n" + LOADER,
    "repeated text": "x = 'a' * 10 ** 10\n" + LOADER,
    "a long string": f"x = '{'a b ' * 200_000}'\n" + LOADER,
    "doubled": "x = 3\n" + "x = x * x\n" * 60 + LOADER,
    "names": "x0 = 0\n"
    + "".join(f"x{n} = x{n - 1}\n" for n in range(1, 1_500))
    + "x = x1499\n"
    + LOADER,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_programs_come_to_an_end(text: str, tmp_path: Path) -> None:
    with comes_to_an_end():
        assert _checked(tmp_path, text).crashes == []


LARGE = {
    "bytes": "x = 1  # of many\n" * 80_000,
    "lines": "x\n" * 100_001,
    "a table": "x = [\n" + "0, 1, 2, 3, 4, 5, 6, 7,\n" * 12_000 + "]\n",
    "lists in lists": f"{'[' * 60}a{']' * 60}\n" * 300,
    "calls in calls": f"{'f(1, [' * 90}a{'])' * 90}\n" * 20,
    "calls in a string": f"f'{{{'f(' * 90}a{')' * 90}}}'\n" * 40,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=list(LARGE))
def test_a_file_that_is_too_large_is_told(text: str, tmp_path: Path) -> None:
    outcome = _checked(tmp_path, LOADER + text)
    assert outcome.diagnostics == []
    told = "not read: more than 1 MB, 100,000 lines, or what takes 640 MB to parse"
    assert outcome.warnings == [f"{tmp_path / 'a.py'}: {told}"]


def _function(line: str, count: int) -> str:
    return f"def f(a, b):\n{f'    {line}' * count}    return a\nx = f(1, 2)\n"


LONG: dict[str, Callable[[int], str]] = {
    "calls": lambda count: "x = 1\n" + "y = f(x)\n" * count,
    "rebound": lambda count: "x = 1\n" + "x = x + 1\n" * count,
    "a function": lambda count: _function("b = g(a)\n", count),
    "a function, rebound": lambda count: _function("a = g(a)\n", count),
    "a function, two names": lambda count: _function("a, b = b, a\n", count),
    "a function of tests": lambda count: _function("if b: a = a + 1\n", count),
    "writes": lambda count: "x = {}\n" + "".join(f"x[{n}] = {n}\n" for n in range(count)),
    "parts": lambda count: "x = []\n" + "".join(f"x.append({n})\n" for n in range(count)),
    "functions": lambda count: (
        "def f0(): return 1\n"
        + "".join(f"def f{n}(): return f{n - 1}()\n" for n in range(1, count // 4))
        + f"x = f{count // 4 - 1}()\n"
    ),
}


@pytest.mark.parametrize("text", LONG.values(), ids=list(LONG))
def test_what_a_file_takes_grows_with_its_lines(text: Callable[[int], str], tmp_path: Path) -> None:
    few = calls_in(lambda: _checked(tmp_path, text(300) + LOADER))
    assert calls_in(lambda: _checked(tmp_path, text(1_200) + LOADER)) < 7 * few


LOOPS = {
    "in a function": "def f(d):\n{}",
    "in an epoch": "def f(d):\n  for e in range(3):\n{}",
    "functions": "{}",
}
_LOOP = "    l = DataLoader(d, shuffle=True)\n    for b in l:\n        b = b.cuda()\n"


@pytest.mark.parametrize("text", LOOPS.values(), ids=list(LOOPS))
def test_what_loaders_take_grows_with_them(text: str, tmp_path: Path) -> None:
    def loops(count: int) -> str:
        heads = [f"def f{number}(d):\n" if text == "{}" else "" for number in range(count)]
        return text.format("".join(head + _LOOP for head in heads)) + "x = 1\n" + LOADER

    few = calls_in(lambda: _checked(tmp_path, loops(15)))
    assert calls_in(lambda: _checked(tmp_path, loops(60))) < 7 * few
