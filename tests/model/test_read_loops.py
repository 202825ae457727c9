"""What a `while` loop reads to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.model.data.read_loops import read_out

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TRIED = """while True:
    try:
        x = {}
    except EOFError:
        break
    yield x
"""


def _read(context: MakeProgram, body: str) -> list[str | None]:
    head = "def rows(self, path, limit):\n    with open(path) as f:\n"
    analysed = context("import pickle, csv, numpy as np\n" + head + indent(body, " " * 8))
    scope = next(s for s in analysed.modules[0].module.scopes if s.name == "rows")
    loop = next(s for s in walk.statements(scope.body) if isinstance(s, Loop))
    return [ex.dotted(source) for source in read_out(loop, scope)]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("while (x := f.readline()):\n    yield x", ["f"]),
        ("while (x := parse(f)) is not None:\n    yield x", ["f"]),
        ("while len(x := f.read(4)) == 4:\n    yield f.read(int(x))", ["f"]),
        ("x = f.readline()\nwhile x:\n    yield x\n    x = f.readline()", ["f", "f"]),
        ("while True:\n    x = f.read(3)\n    if not x:\n        break\n    yield x", ["f"]),
        ("while True:\n    x = f.read(3)\n    if x == '':\n        return\n    yield x", ["f"]),
        (TRIED.format("pickle.load(f)"), ["f"]),
        ("lines = csv.reader(f)\nwhile (x := next(lines, None)):\n    yield x", ["lines"]),
        ("f.seek(0)\nwhile (x := f.readline()):\n    yield x", ["f"]),
    ],
)
def test_loops_that_the_end_of_a_file_ends(
    context: MakeProgram, body: str, read: list[str | None]
) -> None:
    assert _read(context, body) == read


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    yield f.readline()",
        "n = 0\nwhile n < limit:\n    yield f.readline()\n    n += 1",
        "while (x := f.readline()) and limit:\n    yield x",
        "while (x := f.readline()):\n    if limit:\n        break\n    yield x",
        "while (x := f.readline()):\n    yield x\n    break",
        "while (x := f.readline()):\n    yield limit",
        "f.seek(limit)\nwhile (x := f.readline()):\n    yield x",
        "while (x := open(path).readline()):\n    yield x",
        "while (x := self.file.readline()):\n    yield x",
        "while (x := limit.readline()):\n    yield x",
        "while (x := parse(limit)):\n    yield x",
        "while f.tell() < limit:\n    yield f.readline()",
        "while (x := np.random.rand()):\n    yield x",
        TRIED.format("limit()"),
        "while True:\n    x = f.read(3)\n    for y in x:\n        if not x: break\n    yield x",
    ],
)
def test_loops_that_something_else_ends_or_drives(context: MakeProgram, body: str) -> None:
    assert _read(context, body) == []
