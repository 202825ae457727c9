"""What is being written to several files, noted before the first of them is touched.

The notes lie with the user and not in the project, so nothing that a project holds is taken for
one. They hold no text: the old file and the new one lie beside the file that is replaced, under
names that cannot be guessed, and the notes say which.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from dlint.workspace.locking import locked
from dlint.workspace.state import BEGUN, DONE, DRAFT, WRITES, own_folder

_FORMAT = 1
_LOCK = "lock"
_PATIENCE = 60.0
"""Seconds to wait for another dlint that writes."""


class Entry(NamedTuple):
    """One file that is replaced, or made where `is_new`."""

    path: str
    """As the user has it."""
    target: str
    """The file itself, behind any symbolic links; absolute."""
    fresh: str
    """The name of the new file beside it, until that takes its place."""
    kept: str
    """The name by which the old file is kept beside it, until all are written."""
    digest: str
    """Of the new content."""
    is_new: bool = False

    @property
    def folder(self) -> Path:
        return Path(self.target).parent


class Journal:
    """The notes of one write. While they are there as begun, it has to be undone."""

    def __init__(self, file: Path, entries: Sequence[Entry]) -> None:
        self.file = file
        self.entries = entries

    @property
    def is_done(self) -> bool:
        """Whether all files are written, and only what lies beside them is to be removed."""
        return self.file.suffix == DONE

    def close_as_done(self) -> None:
        """From here on the write stands, whatever happens. Raises OSError."""
        done = self.file.with_suffix(DONE)
        self.file.replace(done)
        self.file = done
        synced(done.parent)

    def remove(self) -> None:
        """Nothing is left of the write but what it wrote. Raises OSError."""
        self.file.unlink(missing_ok=True)


def journal_folder() -> Path | None:
    """Where this user's notes lie; None where there is no place for them."""
    return own_folder(WRITES)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder of notes: nobody else of this user writes. Raises OSError."""
    with locked(folder / _LOCK, _PATIENCE):
        yield


def begun(folder: Path, entries: Sequence[Entry]) -> Journal:
    """Note a write: the notes are on disk when this returns. Raises OSError."""
    import json

    file = folder / f"{os.urandom(8).hex()}{BEGUN}"
    draft = file.with_suffix(DRAFT)
    text = json.dumps({"format": _FORMAT, "files": [entry._asdict() for entry in entries]})
    try:
        write_new(draft, text.encode("ascii"))
        draft.replace(file)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    synced(folder)
    return Journal(file, entries)


def left_in(folder: Path) -> Iterator[Journal]:
    """The writes that were begun and not ended; only for who holds the lock of the folder."""
    for file in sorted(folder.iterdir()):
        if file.suffix == DRAFT:
            file.unlink(missing_ok=True)
        elif file.suffix in {BEGUN, DONE}:
            entries = _read(file)
            if entries is not None:
                yield Journal(file, entries)


def _read(file: Path) -> list[Entry] | None:
    """The entries of one file of notes; None of one that another version of dlint wrote."""
    import json

    try:
        notes = json.loads(file.read_bytes())
        return [Entry(**given) for given in notes["files"]] if notes["format"] == _FORMAT else None
    except (ValueError, TypeError, KeyError):
        return None


def write_new(path: Path, content: bytes) -> None:
    """Make a file that is on disk when this returns. Raises OSError, also where there is one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o600)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def synced(*folders: Path | str) -> None:
    """Have what was renamed in folders on disk, where the system can be asked for that."""
    for folder in dict.fromkeys(map(Path, folders)):
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
