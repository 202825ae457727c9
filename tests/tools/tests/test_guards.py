"""Each promise has a guard, which is there; a tool tells whether it is missed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.guards import ROOT, Guard, guards, missed

PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
_TABLES = re.findall(r"^\| (?:a checked project cannot|what happens) .*?\n\n", PAGE, re.M | re.S)
_BY_THE_FUZZERS = "make one run say another thing"
"""What no single place keeps: the laws of the fuzzers tell."""


@pytest.mark.parametrize("guard", guards(), ids=lambda g: f"{g.promise}-{g.file}")
def test_a_guard_is_there_and_its_test_too(guard: Guard) -> None:
    assert (ROOT / guard.file).read_text("utf-8").count(guard.guard) == 1
    path, _, name = guard.test.partition("::")
    assert f"def {name}" in (ROOT / path).read_text("utf-8") if name else (ROOT / path).exists()


def test_each_promise_has_a_guard() -> None:
    lines = [line for table in _TABLES for line in table.splitlines()[2:] if line]
    rows = [line.removeprefix("| ") for line in lines]
    known = {*(guard.promise for guard in guards()), _BY_THE_FUZZERS}
    assert len(_TABLES) == 2
    assert [row for row in rows if not any(row.startswith(promise) for promise in known)] == []
    assert [p for p in known if not any(row.startswith(p) for row in rows)] == []


def test_what_is_missed_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "test_a.py").write_text("def test():\n    assert 'x = 1' in open('a.py').read()\n")
    assert missed(Guard("", "a.py", "x = 1", "x = 2", "test_a.py"), tmp_path) == "missed"
    assert missed(Guard("", "a.py", "x = 1", "x = 10", "test_a.py"), tmp_path) == "NOT MISSED"
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


def test_the_tests_that_the_page_names_are_there() -> None:
    named = re.findall(r"`(tests/[\w/.]+)`(?: \(((?:`\w+`(?:, )?)+)\))?", PAGE)
    assert len(named) > 40
    for path, parts in named:
        assert (ROOT / path).exists(), path
        for part in re.findall(r"\w+", parts):
            assert re.search(rf"\b{part}\b", (ROOT / path).read_text("utf-8")), (path, part)
