"""Whatever is edited: a run that keeps answers tells what one tells that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine.kept import files
from tests.engine.kept.__main__ import COARSE
from tests.engine.kept.edits import changed_by_keeping, made
from tests.fuzz.choices import Seeded

SEQUENCES, STEPS = 24, 4


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_what_is_kept_changes_nothing_that_is_told(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_COARSE", COARSE)
    choices, folder = Seeded(seed), tmp_path / "project"
    made(folder, choices)
    assert list(changed_by_keeping(folder, tmp_path / "caches", choices, STEPS)) == []
