"""Each training example has the mistake that its README says, and a fix to try for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dlint.cli.verify_findings import find
from dlint.verify import trials

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples" / "training"
TRIED = {
    "images": ["zero-workers (num_workers=2)"],
    "table": ["missing-persistent-workers", "workers-for-in-memory-data"],
    "texts": ["missing-persistent-workers"],
    "ranks": ["missing-set-epoch"],
}


@pytest.mark.parametrize("name", TRIED)
def test_what_is_tried(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "affinity", lambda: 2)
    shutil.copy(EXAMPLES / f"{name}.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    found = find(tmp_path / f"{name}.py", None, None)
    assert [candidate.name for candidate in found.candidates] == TRIED[name]
