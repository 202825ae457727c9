"""Files are replaced whole, as they were, or not at all."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

import pytest

from dlint.fixes.write import ChangedOnDiskError, WriteError, replace, write_all
from dlint.workspace.reading import read
from dlint.workspace.source import Source


@pytest.fixture
def source(tmp_path):
    """Write bytes to a file and read it."""

    def make(content: bytes = b"a = 1\n", name: str = "a.py"):
        (tmp_path / name).write_bytes(content)
        return read(str(tmp_path / name))

    return make


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\n", b"a = 2\n"),
        (b"a = 1\r\nb = '\xc3\xbc'\r\n", b"a = 2\r\nb = '\xc3\xbc'\r\n"),
        (codecs.BOM_UTF8 + b"a = 1\n", codecs.BOM_UTF8 + b"a = 2\n"),
        (b"# coding: latin-1\na = 1  # \xfc", b"# coding: latin-1\na = 2  # \xfc"),
        (b"\x0c\ta = 1\n\r", b"\x0c\ta = 2\n\r"),
    ],
)
def test_keeps_every_other_byte(source, tmp_path, before, after):
    before_fix = source(before)
    replace(before_fix, before_fix.text.replace("a = 1", "a = 2"))
    assert (tmp_path / "a.py").read_bytes() == after
    assert names(tmp_path) == ["a.py"]


def test_keeps_the_mode(source, tmp_path):
    (tmp_path / "a.py").touch()
    (tmp_path / "a.py").chmod(0o754)
    replace(source(), "a = 2\n")
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o754


def test_writes_through_a_link(source, tmp_path):
    (tmp_path / "real").mkdir()
    source(name="real/a.py")
    (tmp_path / "link.py").symlink_to("real/a.py")
    replace(read(str(tmp_path / "link.py")), "a = 2\n")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real/a.py").read_text() == "a = 2\n"
    assert names(tmp_path / "real") == ["a.py"]


def test_a_file_that_two_paths_name_is_written_once(source, tmp_path):
    real = source()
    (tmp_path / "link.py").symlink_to("a.py")
    write_all([(real, "a = 2\n"), (read(str(tmp_path / "link.py")), "a = 2\n")])
    assert (tmp_path / "a.py").read_text() == "a = 2\n"


def test_does_not_overwrite_what_changed_meanwhile(source, tmp_path):
    before = source()
    (tmp_path / "a.py").write_text("b = 1\n")
    with pytest.raises(ChangedOnDiskError, match=r"a\.py changed"):
        replace(before, "a = 2\n")
    assert (tmp_path / "a.py").read_text() == "b = 1\n"


def test_does_not_bring_back_what_was_deleted_meanwhile(source, tmp_path):
    before = source()
    (tmp_path / "a.py").unlink()
    with pytest.raises(WriteError, match=r"a\.py"):
        replace(before, "a = 2\n")
    assert names(tmp_path) == []


def test_a_read_only_file_is_left(source, tmp_path):
    before = source()
    (tmp_path / "a.py").chmod(0o444)
    with pytest.raises(WriteError, match=r"a\.py: the file is read-only"):
        replace(before, "a = 2\n")
    assert (tmp_path / "a.py").read_text() == "a = 1\n"


def test_text_that_the_encoding_lacks_is_not_written(source, tmp_path):
    before = source(b"# coding: ascii\na = 1\n")
    with pytest.raises(WriteError, match=r"a\.py"):
        replace(before, "a = 'ü'\n")
    assert (tmp_path / "a.py").read_bytes() == before.raw
    assert names(tmp_path) == ["a.py"]


def test_one_file_that_cannot_be_written_keeps_all_from_being_written(source, tmp_path):
    first, second = source(name="a.py"), source(name="b.py")
    (tmp_path / "b.py").write_text("meanwhile\n")
    with pytest.raises(ChangedOnDiskError):
        write_all([(first, "a = 2\n"), (second, "a = 2\n")])
    assert (tmp_path / "a.py").read_text() == "a = 1\n"
    assert names(tmp_path) == ["a.py", "b.py"]


def test_a_failure_midway_sets_back_what_was_written(source, tmp_path, monkeypatch):
    first, second = source(name="a.py"), source(name="b.py")
    before = (tmp_path / "a.py").stat()
    real = Path.replace

    def fail_on_second(self, target):
        if Path(target).name == "b.py":
            assert (tmp_path / "a.py").read_text() == "a = 2\n"
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fail_on_second)
    with pytest.raises(WriteError, match=r"b\.py: No space left on device$"):
        write_all([(first, "a = 2\n"), (second, "a = 2\n")])
    assert (tmp_path / "a.py").read_text() == (tmp_path / "b.py").read_text() == "a = 1\n"
    after = (tmp_path / "a.py").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(tmp_path) == ["a.py", "b.py"]


@pytest.mark.parametrize("failing", ["fsync", "utime"])
def test_an_interrupt_leaves_the_file_and_no_other(source, tmp_path, monkeypatch, failing):
    before = source()

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, failing, interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace(before, "a = 2\n")
    assert (tmp_path / "a.py").read_text() == "a = 1\n"
    assert names(tmp_path) == ["a.py"]


def test_a_new_file_is_made_with_the_usual_mode(tmp_path):
    path = tmp_path / "new.py"
    replace(Source(str(path), ""), "a = 1\n")
    beside = tmp_path / "usual.py"
    beside.touch()
    assert path.read_text() == "a = 1\n"
    assert path.stat().st_mode == beside.stat().st_mode
    assert names(tmp_path) == ["new.py", "usual.py"]


def test_a_new_file_replaces_none(tmp_path, source):
    path = tmp_path / "new.py"
    path.write_text("mine\n")
    with pytest.raises(ChangedOnDiskError, match="left alone"):
        write_all([(source(), "a = 2\n"), (Source(str(path), ""), "a = 1\n")])
    assert path.read_text() == "mine\n"
    assert (tmp_path / "a.py").read_text() == "a = 1\n"
    assert names(tmp_path) == ["a.py", "new.py"]
