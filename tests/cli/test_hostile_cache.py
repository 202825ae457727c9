"""A cache that came with a project is not believed, and leads nowhere."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from dlint.cli.main import main
from dlint.ir.lower import lower
from dlint.ir.store import Store
from dlint.workspace.reading import read
from dlint.workspace.source import Source
from dlint.workspace.state import own_key

BAD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(data):
    return DataLoader(data, shuffle=True, sampler=RandomSampler(data))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "pyproject.toml").touch()
    (folder / "a.py").write_text(BAD)
    return folder


def poison(cache: Path, key: bytes = b"") -> None:
    """Somebody puts an entry for the bad file that says that it holds nothing."""
    source = read("a.py")
    Store(cache, key).put(source, lower(Source(source.path, "x = 1\n")))


def codes(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    main(["check", "--output-format", "concise", "-q", *argv])
    return re.findall(r"DLT\d+", capsys.readouterr().out)


def test_an_entry_of_somebody_else_is_not_found(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    poison(project / ".dlint_cache")
    poison(project / ".dlint_cache", b"theirs")
    assert codes(capsys) == ["DLT201"]
    assert codes(capsys) == ["DLT201"]
    (project / "dlint.toml").write_text('cache-dir = "kept"\n')
    poison(project / "kept")
    assert codes(capsys) == ["DLT201"]
    assert codes(capsys, "--cache-dir", "kept") == []  # who starts dlint trusts that folder


def test_own_entries_are_found(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = own_key()
    assert key is not None
    poison(project / ".dlint_cache", key)
    assert codes(capsys) == []
    (path,) = (project.parent / "state").rglob("key/key")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"short")
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent / "no answers"))
    assert codes(capsys) == ["DLT201"]


def test_a_cache_that_is_a_link_out_of_the_project_is_not_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (project / ".dlint_cache").symlink_to(elsewhere)
    assert codes(capsys) == ["DLT201"]
    assert [*elsewhere.iterdir()] == []


def test_links_inside_a_cache_are_not_followed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere, cache = project.parent / "elsewhere", project / ".dlint_cache"
    elsewhere.mkdir()
    assert codes(capsys) == ["DLT201"]
    (versions,) = (path for path in cache.iterdir() if path.is_dir())
    versions.rename(project / "moved")
    versions.symlink_to(elsewhere)
    (cache / "pruned").unlink(missing_ok=True)
    (cache / "pruned").symlink_to(elsewhere / "made")
    (project / "a.py").write_text(f"{BAD}# of which no answer is kept\n")
    assert codes(capsys) == ["DLT201"]
    assert [*elsewhere.iterdir()] == []


def test_settings_name_no_cache_outside_of_the_project(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "dlint.toml").write_text('cache-dir = "../elsewhere"\n')
    assert main(["check"]) == 2
    assert "`cache-dir`: ../elsewhere lies outside of" in capsys.readouterr().err
    assert not (project.parent / "elsewhere").exists()
