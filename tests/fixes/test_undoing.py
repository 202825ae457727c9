"""What a run that was killed left: undone by the next one, and by nothing that a project holds."""

from __future__ import annotations

import json
import os
import stat
import struct
import sys
from pathlib import Path

import pytest

from dlint.fixes import journal as notes
from dlint.fixes import write
from dlint.fixes.journal import Entry, Journal, begun, journal_folder
from dlint.fixes.replacing import digest, keep, lay, put
from dlint.fixes.undoing import recover
from dlint.fixes.write import ChangedOnDiskError, WriteError, replace, write_all
from dlint.workspace.locking import locked
from dlint.workspace.reading import read
from dlint.workspace.source import Source
from dlint.workspace.state import folders_with_notes


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def halted(folder: Path, *names: str, unwritten: int = 0) -> list[Entry]:
    """Files in which a run has changed 1 to 2 when it was killed, the last ones not yet."""
    folder.mkdir(parents=True, exist_ok=True)
    where = journal_folder()
    assert where is not None
    entries = []
    for name in names:
        target = folder / name
        target.write_text("a = 1\n")
        hidden = (f".dlint-{name}-new", f".dlint-{name}-old")
        entries.append(Entry(str(target), str(target), *hidden, digest(b"a = 2\n")))
    begun(where, entries)
    for entry in entries:
        lay(entry, b"a = 2\n", entry)
        keep(entry)
    for entry in entries[: len(entries) - unwritten]:
        put(entry)
    return entries


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_it_says_what_it_set_back(tmp_path: Path) -> None:
    names = [f"{letter}.py" for letter in "abcde"]
    halted(tmp_path / "p", *names, unwritten=1)
    (said,) = recover([tmp_path / "p"])
    paths = [str(tmp_path / "p" / name) for name in names[:3]]
    assert said == (
        "a run of dlint was ended while it wrote: 4 files are as before it "
        f"({', '.join(paths)} and 1 more)"
    )
    assert texts(tmp_path / "p") == dict.fromkeys(names, "a = 1\n")
    assert list(recover([tmp_path / "p"])) == []


def test_a_write_in_another_project_waits_for_a_run_there(tmp_path: Path) -> None:
    halted(tmp_path / "p", "a.py")
    assert list(recover([tmp_path / "other"])) == []
    assert texts(tmp_path / "p")["a.py"] == "a = 2\n"
    assert len(list(recover([tmp_path / "p"]))) == 1


def test_what_was_changed_since_is_left_and_told(tmp_path: Path) -> None:
    halted(tmp_path / "p", "a.py", "b.py", "c.py")
    (tmp_path / "p" / "a.py").write_text("mine\n")
    (tmp_path / "p" / "c.py").write_text("a = 1\n")  # as it was, by somebody else
    undone, problem = recover([tmp_path / "p"])
    assert "2 files are as before it" in undone
    assert problem.endswith("a.py was changed since, and is left as it is")
    assert texts(tmp_path / "p") == {"a.py": "mine\n", "b.py": "a = 1\n", "c.py": "a = 1\n"}
    assert list(folders_with_notes()) == []


def test_what_was_deleted_since_does_not_come_back(tmp_path: Path) -> None:
    halted(tmp_path / "p", "a.py")
    (tmp_path / "p" / "a.py").unlink()
    assert list(recover([tmp_path / "p"])) == []
    assert texts(tmp_path / "p") == {}


def test_a_folder_that_leads_elsewhere_by_now_is_not_followed(tmp_path: Path) -> None:
    """A project is changed after the kill, so that the names in the notes mean other files."""
    entries = halted(tmp_path / "p" / "sub", "a.py")
    secret = tmp_path / "home"
    (tmp_path / "p" / "sub").rename(secret)
    (tmp_path / "p" / "sub").symlink_to(secret)
    before = texts(secret)
    (said,) = recover([tmp_path / "p"])
    assert said.endswith(f"{entries[0].path} is no longer where it was, and is left as it is")
    assert texts(secret) == before


def test_a_file_that_is_a_link_by_now_is_not_followed(tmp_path: Path) -> None:
    halted(tmp_path / "p", "a.py")
    secret = tmp_path / "secret"
    secret.write_text("a = 2\n")
    (tmp_path / "p" / "a.py").unlink()
    (tmp_path / "p" / "a.py").symlink_to(secret)
    (said,) = recover([tmp_path / "p"])
    assert "was changed since" in said
    assert secret.read_text() == "a = 2\n"
    assert (tmp_path / "p" / "a.py").is_symlink()


def test_notes_in_a_project_mean_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "p"
    entries = halted(project, "a.py")
    (where,) = folders_with_notes()
    (found,) = where.glob("*.json")
    for place in ("writes", "dlint/writes", ".dlint/writes", ".local/state/dlint/writes"):
        (project / place).mkdir(parents=True)
        (project / place / found.name).write_bytes(found.read_bytes())
    found.unlink()
    monkeypatch.chdir(project)
    assert list(recover([project])) == []
    monkeypatch.setenv("XDG_STATE_HOME", ".")  # no absolute path, so it is none
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert list(recover([project])) == []
    assert Path(entries[0].target).read_text() == "a = 2\n"


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_a_folder_that_others_may_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted(tmp_path / "p", "a.py")
    (where,) = folders_with_notes()
    where.chmod(0o777)
    assert list(folders_with_notes()) == []
    assert list(recover([tmp_path / "p"])) == []
    (tmp_path / "p" / "b.py").write_text("b = 1\n")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    replace(read(str(tmp_path / "p" / "b.py")), "b = 2\n")
    assert (tmp_path / "tmp" / f"dlint-{os.getuid()}" / "writes").stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none" / "such"))
    (tmp_path / "none").touch()
    with pytest.raises(WriteError, match="set XDG_STATE_HOME"):
        replace(read(str(tmp_path / "p" / "b.py")), "b = 3\n")
    assert (tmp_path / "p" / "b.py").read_text() == "b = 2\n"


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert journal_folder() == tmp_path / "state" / "dlint" / "writes"
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "dlint").symlink_to(tmp_path / "real")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "linked"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "real"))
    folder = journal_folder()
    assert folder is not None
    assert folder.parent.parent == tmp_path / "real"


def test_notes_of_another_version_are_left(tmp_path: Path) -> None:
    halted(tmp_path / "p", "a.py")
    (where,) = folders_with_notes()
    (found,) = where.glob("*.json")
    given = json.loads(found.read_text())
    for text in (json.dumps({**given, "format": 99}), '{"format": 1, "files": [{"x": 1}]}', "{"):
        found.write_text(text)
        assert list(recover([tmp_path / "p"])) == []
        assert found.exists()


def test_one_dlint_writes_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\n")
    source = read(str(path))
    folder = journal_folder()
    assert folder is not None
    monkeypatch.setattr(notes, "_PATIENCE", 0.1)
    with (
        locked(folder / "lock", 1),
        pytest.raises(WriteError, match=r"another process has held .*lock for 0\.1 seconds"),
    ):
        replace(source, "a = 2\n")
    assert path.read_text() == "a = 1\n"
    halted(tmp_path / "p", "b.py")
    with locked(folder / "lock", 1):
        (said,) = recover([tmp_path / "p"])
    assert said.startswith("warning: cannot undo what")
    replace(source, "a = 2\n")


def test_an_editor_that_writes_at_the_last_moment_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds the old file open, and writes into it when that has no longer its name."""
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in paths:
        path.write_text("a = 1\n")
    changes = [(read(str(path)), "a = 2\n") for path in paths]
    with paths[0].open("r+") as editor:

        def put_and_edit(entry: Entry) -> None:
            put(entry)
            editor.seek(0)
            editor.write("mine\n\n")
            editor.flush()

        monkeypatch.setattr(write, "put", put_and_edit)
        with pytest.raises(ChangedOnDiskError, match=r"a\.py changed .*nothing was written"):
            write_all(changes)
    assert texts(tmp_path) == {"a.py": "mine\n\n", "b.py": "a = 1\n"}


@pytest.mark.parametrize("change", ["touch", "mode", "renamed", "link"])
def test_what_is_not_the_same_file_any_more_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Between the last look at its content and its turn to be replaced."""
    path, other = tmp_path / "a.py", tmp_path / "b.txt"
    path.write_text("a = 1\n")
    other.write_text("a = 1\n")

    def meanwhile(entry: Entry) -> None:
        keep(entry)
        match change:
            case "touch":
                os.utime(path, (1, 1))
            case "mode":
                path.chmod(0o600)
            case "renamed":
                other.replace(path)
            case _:
                path.unlink()
                path.symlink_to(other)

    monkeypatch.setattr(write, "keep", meanwhile)
    with pytest.raises(ChangedOnDiskError, match=r"a\.py changed"):
        replace(read(str(path)), "a = 2\n")
    assert path.read_text() == "a = 1\n"
    assert path.is_symlink() == (change == "link")
    assert set(texts(tmp_path)) <= {"a.py", "b.txt"}


def test_two_names_of_one_file_stay_so(tmp_path: Path) -> None:
    path, twin, apart = (tmp_path / name for name in ("a.py", "b.py", "kept.txt"))
    path.write_text("a = 1\n")
    twin.hardlink_to(path)
    apart.hardlink_to(path)
    write_all([(read(str(path)), "a = 2\n"), (read(str(twin)), "a = 2\n")])
    assert path.samefile(twin)
    assert path.read_text() == "a = 2\n"
    assert apart.read_text() == "a = 1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes")
def test_attributes_and_special_modes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\n")
    path.chmod(0o2750)
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has none")
    replace(read(str(path)), "a = 2\n")
    assert os.getxattr(path, "user.note") == b"mine"
    assert stat.S_IMODE(path.stat().st_mode) == 0o2750


def _acl(of_somebody: int) -> bytes:
    """Rights as Linux keeps them: of the owner, of a user, of the group, at most, of others."""
    entries = [(1, 6, -1), (2, of_somebody, 12345), (4, 4, -1), (16, 7, -1), (32, 4, -1)]
    packed = (struct.pack("<HHi", *entry) for entry in entries)
    return struct.pack("<I", 2) + b"".join(packed)


@pytest.mark.skipif(sys.platform != "linux", reason="access control lists")
def test_rights_of_others_are_kept_and_none_are_added(tmp_path: Path) -> None:
    path, plain = tmp_path / "a.py", tmp_path / "b.py"
    path.write_text("a = 1\n")
    plain.write_text("a = 1\n")
    try:
        os.setxattr(path, "system.posix_acl_access", _acl(7))
        os.setxattr(tmp_path, "system.posix_acl_default", _acl(6))
    except OSError:
        pytest.skip("this file system has none")
    write_all([(read(str(path)), "a = 2\n"), (read(str(plain)), "a = 3\n")])
    assert os.getxattr(path, "system.posix_acl_access") == _acl(7)
    assert os.listxattr(plain) == []
    assert texts(tmp_path) == {"a.py": "a = 2\n", "b.py": "a = 3\n"}


def test_without_second_names_copies_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on file systems of memory cards, which know no hard links."""

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(1, f"no links: {self}, {target}")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "a.py"
    path.write_text("a = 1\n")
    made = (Source(str(tmp_path / "new.json"), ""), "{}\n")
    write_all([(read(str(path)), "a = 2\n"), made])
    assert texts(tmp_path) == {"a.py": "a = 2\n", "new.json": "{}\n"}
    halted(tmp_path / "p", "b.py")
    assert len(list(recover([tmp_path / "p"]))) == 1
    assert texts(tmp_path / "p") == {"b.py": "a = 1\n"}


def test_what_cannot_be_set_back_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted(tmp_path / "p", "a.py")
    real = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    (said,) = recover([tmp_path / "p"])
    assert said.endswith("a.py: Permission denied; the next run tries again")
    monkeypatch.setattr(Path, "replace", real)
    assert len(list(recover([tmp_path / "p"]))) == 1
    assert texts(tmp_path / "p") == {"a.py": "a = 1\n"}


def test_a_done_write_stands(tmp_path: Path) -> None:
    entries = halted(tmp_path / "p", "a.py")
    (where,) = folders_with_notes()
    (found,) = where.glob("*.json")
    Journal(found, entries).close_as_done()
    assert list(recover([tmp_path / "p"])) == []
    assert texts(tmp_path / "p") == {"a.py": "a = 2\n"}
    assert list(folders_with_notes()) == []
