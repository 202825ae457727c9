"""What reads real files counts each of them, and tells of those that are passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.engine.request import Outcome
from tests.fuzz import files


def test_each_file_is_read_or_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, totals = tmp_path / "in", tmp_path / "totals.json"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    (folder / "b.py").write_text("x = (\n")
    (folder / "c.py").write_bytes(b"# coding: none-such\nx = 1\n")
    (folder / "d.py").write_text("x = 1  # large\n" * 80_000)
    (folder / "same.py").write_text("x = 1\n")
    for _ in range(2):  # the second goes on behind the last file
        assert files.main([str(folder), "--totals", str(totals)]) == 0
        kept = json.loads(totals.read_text())
        assert (kept["files"], kept["next"], kept["read"], kept["told"]) == (4, 4, 1, 3)
        assert len(kept["why told"]) == 3
        assert (kept["crashes"], kept["silent"]) == ({}, {})
    assert "'read': 1" in capsys.readouterr().out


def test_a_silent_file_and_a_crash_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b.py").write_text("x = (\n")
    monkeypatch.setattr(files, "analyse", lambda *_: Outcome())
    totals = str(tmp_path / "totals.json")
    assert files.main([str(tmp_path), "--totals", totals]) == 1
    assert len(json.loads(Path(totals).read_text())["silent"]) == 1
    monkeypatch.setattr(files, "lower", lambda _: 1 / 0)
    Path(totals).unlink()
    assert files.main([str(tmp_path), "--totals", totals]) == 1
    assert len(json.loads(Path(totals).read_text())["crashes"]) == 1
