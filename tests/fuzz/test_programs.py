"""Cases that the fuzzers found: one report however it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.places import Place
from dlint.ir.module import Scope
from tests.fuzz import laws
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


@pytest.mark.parametrize("way", ["order", "cache", "hash", "alone"])
def test_a_broken_law_is_told(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ["a.py", "b.py"]

    def odd(
        folder: Path, files: list[str], reported: list[str] | None = None, cache: Path | None = None
    ) -> list[Diagnostic]:
        is_full = cache is not None and cache.exists()
        if cache is not None:
            cache.mkdir(exist_ok=True)
        broken = {
            "order": files != sorted(files),
            "cache": is_full,
            "hash": Scope.__hash__ is not object.__hash__,
            "alone": reported == ["b.py"],
        }
        place = Place("b.py", 0, 1)
        return [Diagnostic("DLT101", "x", Severity.INFO, "m", place)] if broken[way] else []

    told = {
        "order": ["in another order of files"],
        "cache": ["with a full cache"],
        "hash": ["with objects hashed by 7919", "with objects hashed by 611953"],
        "alone": ["asked for b.py alone"],
    }
    at_once = [] if way == "alone" else ["in several ways at once"]
    monkeypatch.setattr(laws, "report", odd)
    assert list(broken_laws(tmp_path, files, tmp_path)) == [*at_once, *told[way]]
