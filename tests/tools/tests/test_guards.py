"""Each promise has a guard, which is there; a tool tells whether it is missed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.guards import ROOT, Guard, guards, missed

PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
_TABLE = re.search(r"^\| a checked project cannot .*?\n\n", PAGE, re.M | re.S)
_BY_THE_FUZZERS = "make one run say another thing"
"""What no single place keeps: the laws of the fuzzers tell."""
_WITHOUT = ("bring answers of its own", "… by comments")
"""What has a test, and no guard that a tool could take away yet."""


@pytest.mark.parametrize("guard", guards(), ids=lambda g: f"{g.promise}-{g.file}")
def test_a_guard_is_there_and_its_test_too(guard: Guard) -> None:
    assert (ROOT / guard.file).read_text("utf-8").count(guard.guard) == 1
    assert (ROOT / guard.test).exists()


def test_each_promise_has_a_guard() -> None:
    assert _TABLE is not None
    rows = [line.removeprefix("| ") for line in _TABLE[0].splitlines()[2:] if line]
    known = {*(guard.promise for guard in guards()), _BY_THE_FUZZERS, *_WITHOUT}
    assert [row for row in rows if not any(row.startswith(promise) for promise in known)] == []
    assert [p for p in known if not any(row.startswith(p) for row in rows)] == []


def test_what_is_missed_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "test_a.py").write_text("def test():\n    assert 'x = 1' in open('a.py').read()\n")
    assert missed(Guard("", "a.py", "x = 1", "x = 2", "test_a.py"), tmp_path) == "missed"
    assert missed(Guard("", "a.py", "x = 1", "x = 10", "test_a.py"), tmp_path) == "NOT MISSED"
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
