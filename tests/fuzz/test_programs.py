"""Generated programs around loaders: no crash, and one report however it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.choices import Drawn, Seeded
from tests.fuzz.laws import broken_laws, hashed_by, report, written
from tests.fuzz.mutations import mutated
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


@settings(max_examples=8, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_programs_have_one_report(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("program")
    files = written(folder / "program", program(Drawn(data)))
    assert list(broken_laws(folder / "program", files, folder / "cache")) == []


@settings(max_examples=25, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutated_programs_are_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, choices = tmp_path_factory.mktemp("mutant"), Drawn(data)
    files = program(choices)
    name = choices.one_of(sorted(files))
    paths = written(folder, {**files, name: mutated(files[name], choices)})
    report(folder, paths)
