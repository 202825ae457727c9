"""Cases that the fuzzers found: one report however it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.choices import Seeded
from tests.fuzz.laws import broken_laws, hashed_by, report, written
from tests.fuzz.programs import program

TOLD_DIFFERENTLY = (9, 35)
"""Seeds of programs of which one loader of several was named, another one in each run."""


@pytest.mark.parametrize("seed", TOLD_DIFFERENTLY)
def test_found_cases_have_one_report(seed: int, tmp_path: Path) -> None:
    files = written(tmp_path / "program", program(Seeded(seed)))
    assert list(broken_laws(tmp_path / "program", files, tmp_path / "cache")) == []
    seen = []
    for salt in range(1, 30_000, 1_999):
        with hashed_by(salt):
            seen.append(report(tmp_path / "program", files))
    assert all(one == seen[0] for one in seen)
