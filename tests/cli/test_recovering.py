"""The next run in a project undoes what a run that was killed had written, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fixes.test_undoing import halted

SAID = "a run of dlint was ended while it wrote: 1 file is as before it"


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.mark.parametrize("argv", [["check", "-q"], ["check", "b.py"], ["check", "--fix"]])
def test_check(run: Any, project: Path, argv: list[str]) -> None:
    halted(project, "c.py")
    assert SAID in run(*argv).err
    assert (project / "c.py").read_text() == "a = 1\n"
    assert SAID not in run(*argv).err


def test_standard_input(run: Any, project: Path) -> None:
    halted(project, "c.py")
    assert SAID not in run("check", "-", stdin="x = 1\n").err
    assert SAID in run("check", "-", "--stdin-filename", "b.py", stdin="x = 1\n").err
    assert (project / "c.py").read_text() == "a = 1\n"


def test_verify(run: Any, project: Path) -> None:
    halted(project, "c.py")
    run("verify", "b.py", "--dry-run")
    assert (project / "c.py").read_text() == "a = 1\n"
