"""The scratch folder of a verification, and who cleans it up."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from dlint.verify.run.guard import Guard


def test_who_cleans_up_is_there_before_the_folder_is(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = subprocess.Popen
    seen: list[bool] = []

    def watched(words: list[str], **given: Any) -> subprocess.Popen[str]:
        seen.append(Path(words[-1]).exists())
        return begun(words, **given)

    monkeypatch.setattr("dlint.verify.run.guard.subprocess.Popen", watched)
    with Guard() as guard:
        assert guard.folder.is_dir()
    assert seen == [False]
    assert not guard.folder.exists()
