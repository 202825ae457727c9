"""Indexes kept in a folder between runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dlint
from dlint.ir import store as store_module
from dlint.ir.lower import lower
from dlint.ir.serial import to_json
from dlint.ir.store import Store
from dlint.workspace.source import Source

DAY = 24 * 60 * 60
SOURCE = Source("/p/a.py", "x = f(1)\n")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A cache folder with one entry."""
    Store(tmp_path / "deep" / "cache").put(SOURCE, lower(SOURCE))
    return tmp_path / "deep" / "cache"


def _entry(top: Path) -> Path:
    (path,) = top.glob("*/*/*.json")
    return path


def _used(path: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def test_what_is_put_is_got_by_its_text(top: Path) -> None:
    index = Store(top).get(Source("/q/b.py", SOURCE.text))
    assert index is not None
    assert index.path == "/q/b.py"
    assert to_json(index) == to_json(lower(SOURCE))
    assert Store(top).get(Source("/p/a.py", "x = f(2)\n")) is None


def test_the_folder_says_what_it_is(top: Path) -> None:
    assert (top / ".gitignore").read_text() == "*\n"
    assert (top / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f068868")
    folder = _entry(top).parent
    assert folder.parent.name.startswith(f"{dlint.__version__}-")
    assert _entry(top).name[:2] == folder.name


def test_a_folder_of_someone_else_is_given_no_files_but_entries(tmp_path: Path) -> None:
    Store(tmp_path).put(SOURCE, lower(SOURCE))
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"pruned"}


@pytest.mark.parametrize("text", ["", "[1", "[]", "[" * 100_000, "null", "é", "[1, {}]"])
def test_spoilt_entries_count_as_none_and_are_written_anew(top: Path, text: str) -> None:
    good = _entry(top).read_text()
    _entry(top).write_text(text, "utf-8")
    store = Store(top)
    assert store.get(SOURCE) is None
    store.put(SOURCE, lower(SOURCE))
    assert _entry(top).read_text() == good


def test_other_code_makes_other_entries(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_lowering", lambda: "0" * 16)
    assert Store(top).get(SOURCE) is None
    monkeypatch.undo()
    monkeypatch.setattr(store_module, "__version__", "9.9")
    assert Store(top).get(SOURCE) is None


def test_a_mark_says_that_a_text_is_valid(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    assert not store.holds(SOURCE)
    store.put_mark(SOURCE)
    assert store.holds(SOURCE)
    assert store.get(SOURCE) is None
    store.put(SOURCE, lower(SOURCE))
    assert store.holds(SOURCE)
    assert store.get(SOURCE) is not None


def test_a_folder_that_cannot_be_made_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "cache", Path("/proc/cache")):
        store = Store(folder)
        store.put(SOURCE, lower(SOURCE))
        store.put_mark(SOURCE)
        assert store.get(SOURCE) is None
        assert not store.holds(SOURCE)


def test_a_full_disk_leaves_nothing_half_written(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    other = Source("/p/b.py", "y = 1\n")
    monkeypatch.setattr(Path, "replace", full)
    store = Store(top)
    store.put(other, lower(other))
    monkeypatch.undo()
    store.put(other, lower(other))
    assert [path.suffix for path in top.glob("*/*/*")] == [".json"]
    assert store.get(other) is None


def test_entries_go_when_they_are_no_longer_used(top: Path) -> None:
    kept, foreign = Source("/p/b.py", "y = 1\n"), top / "notes-0123456789abcdef" / "ab"
    foreign.mkdir(parents=True)
    (foreign / f"{'0' * 32}.json").touch()
    old = top / "0.0.1-0123456789abcdef" / "ab" / f"{'0' * 32}.json"
    old.parent.mkdir(parents=True)
    old.touch()
    for path in (_entry_of(top, SOURCE), old, foreign / f"{'0' * 32}.json"):
        _used(path, days=31)
    Store(top).put(kept, lower(kept))
    assert old.exists()
    _used(top / "pruned", days=2)
    Store(top).put(kept, lower(kept))
    assert not old.exists()
    assert Store(top).get(SOURCE) is None
    assert Store(top).get(kept) is not None
    assert (foreign / f"{'0' * 32}.json").exists()


def _entry_of(top: Path, source: Source) -> Path:
    return Store(top)._path(source)


@pytest.mark.parametrize("use", [Store.get, Store.holds])
def test_use_is_noted_once_a_day(top: Path, use: object) -> None:
    assert callable(use)
    for days, noted in ((0.5, False), (20, True)):
        _used(_entry(top), days)
        before = _entry(top).stat().st_mtime
        use(Store(top), SOURCE)
        assert (_entry(top).stat().st_mtime > before) is noted


PROJECT = {
    "train.py": (
        "from torch.utils.data import DataLoader\n\nfrom steps import step\n\n\n"
        "def run(rows):\n"
        "    for x in DataLoader(rows, 64):  # dlint: ignore[missing-pin-memory] why\n"
        "        step(x)\n"
    ),
    "steps.py": "def step(x):\n    return x.cuda()\n",
    "other.py": "import torch\n\nprint(torch.zeros(1))\n",
}


def _run(folder: Path) -> tuple[str, set[str]]:
    """What `dlint check` prints, and the top-level modules that it imports."""
    command = [sys.executable, "-X", "importtime", "-m", "dlint", "check", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(Path(dlint.__file__).parent.parent)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    times = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(times) == len(done.stderr.splitlines()), done.stderr
    return done.stdout, {line.rpartition("|")[2].strip().partition(".")[0] for line in times}


def test_a_warm_run_needs_no_parser(tmp_path: Path) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)
    parsers = {"libcst", "symtable"}
    found, imported = _run(tmp_path)
    assert (found, parsers & imported) == ("", parsers)
    found, imported = _run(tmp_path)
    assert (found, {*parsers, "torch", "yaml", "pydantic"} & imported) == ("", set())
    assert {path.name for path in tmp_path.iterdir()} == {*PROJECT, ".dlint_cache"}
    (tmp_path / "steps.py").write_text("def step(x):\n    return x\n")
    assert "unused-suppression" in _run(tmp_path)[0]
