"""One file that holds named values of one project."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dlint.engine.kept import storage as storage_module
from dlint.engine.kept.storage import Storage, storage_at
from dlint.workspace.cache_folder import clear

DAY = 24 * 60 * 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a project's values lie, of which there is one."""
    path = storage_at(tmp_path / "caches", tmp_path)
    _keep(path, a=[1, "x"])
    return path


def _keep(path: Path, **values: object) -> None:
    storage = Storage(path, "v1")
    for name, value in values.items():
        storage.put(name, value)
        storage.use(name)
    storage.save()


def test_what_is_put_is_got(path: Path) -> None:
    storage = Storage(path, "v1")
    assert (storage.get("a"), storage.get("b")) == ([1, "x"], None)
    assert [p.name for p in path.parent.glob("answers-*")] == [path.name]


def test_another_dlint_reads_nothing_of_it(path: Path) -> None:
    assert Storage(path, "v2").get("a") is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-1],
        lambda raw: raw.replace(b"x", b"y"),
        lambda raw: b"",
        lambda raw: b"\n" + raw,
        lambda raw: b"\xff\x00" * 100,
    ],
)
def test_a_broken_file_counts_as_none_and_is_written_anew(path: Path, spoil: object) -> None:
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    assert Storage(path, "v1").get("a") is None
    _keep(path, b=2)
    assert Storage(path, "v1").get("b") == 2


def test_runs_at_the_same_time_lose_nothing_of_each_other(path: Path) -> None:
    one, other = Storage(path, "v1"), Storage(path, "v1")
    one.put("b", 1)
    other.put("c", 2)
    one.save()
    other.save()
    kept = Storage(path, "v1")
    assert [kept.get(name) for name in "abc"] == [[1, "x"], 1, 2]


def test_nothing_is_written_where_nothing_is_new(path: Path) -> None:
    before = path.stat()
    storage = Storage(path, "v1")
    storage.get("a")
    storage.use("a")
    storage.save()
    assert path.stat().st_ino == before.st_ino


def test_values_go_a_month_after_their_use(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(storage_module.time, "time", lambda: now + 20 * DAY)
    _keep(path, b=2)
    monkeypatch.setattr(storage_module.time, "time", lambda: now + 40 * DAY)
    _keep(path, c=3)
    kept = Storage(path, "v1")
    assert [kept.get(name) for name in "abc"] == [None, 2, 3]


def test_of_too_much_what_was_used_last_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(storage_module, "MOST_BYTES", 150)
    for days, name in enumerate("bcd", 1):
        monkeypatch.setattr(storage_module.time, "time", lambda days=days: now + days * DAY)
        _keep(path, **{name: "z" * 60})
    kept = Storage(path, "v1")
    assert [kept.get(name) is not None for name in "abcd"] == [False, False, True, True]


def test_a_folder_that_cannot_be_written_to_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", Path("/proc/cache")):
        _keep(storage_at(folder, tmp_path), a=1)
        assert Storage(storage_at(folder, tmp_path), "v1").get("a") is None


def test_what_is_kept_of_a_project_goes_with_the_folder_or_when_nobody_checks_it(
    path: Path,
) -> None:
    old = path.with_name(f"answers-{'0' * 32}.jsonl")
    old.touch()
    os.utime(old, (0, 0))
    os.utime(path.parent / "pruned", (0, 0))
    _keep(path, b=1)
    assert (old.exists(), path.exists()) == (False, True)
    (path.parent / "answers-of-mine.txt").touch()
    clear(path.parent)
    assert [p.name for p in path.parent.iterdir()] == ["answers-of-mine.txt"]
