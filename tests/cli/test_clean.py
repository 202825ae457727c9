"""`dlint clean` removes dlint's caches, and leaves all else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.cli.main import main
from dlint.engine.kept.storage import storage_at
from dlint.ir.lower import lower
from dlint.ir.store import Store
from dlint.workspace.source import Source


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which the test runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def _fill(cache: Path) -> Path:
    """A cache as a check leaves it."""
    source = Source("/p/a.py", "x = 1\n")
    store = Store(cache)
    store.put(source, lower(source))
    store.put_mark(Source("/p/b.py", "y = 1\n"))
    assert any(cache.iterdir())
    return cache


def _clean(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["clean", *argv]) == 0
    return capsys.readouterr().out


def test_caches_here_and_below(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, inner = _fill(project / ".dlint_cache"), _fill(project / "a/b/.dlint_cache")
    assert _clean(capsys) == f"Removed {own}: 5 files\nRemoved {inner}: 5 files\n"
    assert not own.exists()
    assert not inner.exists()
    assert (project / "a/b").is_dir()
    assert _clean(capsys) == "There is no cache.\n"


def test_the_cache_of_the_project_of_a_folder(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = _fill(project / ".dlint_cache"), _fill(project / "other/.dlint_cache")
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    _clean(capsys)
    assert not own.exists()
    assert other.exists()


def test_a_cache_that_settings_or_a_flag_name(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "dlint.toml").write_text('cache-dir = "kept"\n')
    named, flagged = _fill(project / "kept"), _fill(project / "flagged")
    _clean(capsys)
    assert not named.exists()
    assert flagged.exists()
    _clean(capsys, "--cache-dir", "flagged")
    assert not flagged.exists()


def test_what_others_put_there_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = _fill(project / ".dlint_cache")
    kept = [cache / "notes.txt", cache / ".gitignore", next(cache.glob("*-*/*")) / "x.json"]
    for path in kept:
        path.write_text("mine")
    assert _clean(capsys) == f"Removed {cache}: 4 files, but not what others put there\n"
    assert [path.read_text() for path in kept] == ["mine"] * 3


def test_a_folder_that_is_no_cache_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "dlint.toml").write_text('cache-dir = "src"\n')
    (project / "src").mkdir()
    (project / "src/a.py").touch()
    (project / ".dlint/measured").mkdir(parents=True)
    (project / ".dlint/measured/1.json").touch()
    assert _clean(capsys) == "There is no cache.\n"
    assert (project / "src/a.py").exists()
    assert (project / ".dlint/measured/1.json").exists()


def test_links_are_not_followed(
    project: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = _fill(tmp_path_factory.mktemp("elsewhere") / "cache")
    (project / ".dlint_cache").symlink_to(elsewhere)
    (project / "a").mkdir()
    (project / "a/.dlint_cache").mkdir()
    folder = next(elsewhere.glob("*-*"))
    (project / "a/.dlint_cache" / folder.name).symlink_to(folder)
    before = sorted(elsewhere.rglob("*"))
    assert _clean(capsys) == "There is no cache.\n"
    assert sorted(elsewhere.rglob("*")) == before


def test_a_folder_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "nope"]) == 2
    assert "no such directory: " in capsys.readouterr().err


def test_what_was_found_in_a_project_is_removed_too(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "user").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "user"))
    mine, other = (storage_at(project / "user/dlint", root) for root in (project, project / "no"))
    for path in (mine, other):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert _clean(capsys) == f"Removed what was found in {project}: {mine}\n"
    assert (mine.exists(), other.exists()) == (False, True)
