"""The folders in which settings files are looked for."""

from __future__ import annotations

from pathlib import Path

from dlint.frontends.documents import Documents


def test_a_folder_that_is_not_there_holds_no_settings(tmp_path: Path) -> None:
    documents = Documents(str(tmp_path), lambda path: None)
    assert documents.primaries(str(tmp_path / "gone")) == []
