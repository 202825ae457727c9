"""Texts written over the files they came from: all of them, or none."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dlint.fixes.journal import Entry, alone, begun, journal_folder, synced
from dlint.fixes.replacing import digest, keep, lay, put
from dlint.fixes.undoing import settle
from dlint.workspace.source import Source


class WriteError(OSError):
    """A file that was not written; the message names it and says why."""


class ChangedOnDiskError(WriteError):
    """A file that changed since it was read."""


class _Pending(NamedTuple):
    source: Source
    content: bytes
    entry: Entry
    seen: os.stat_result | None
    """What the old file was when its content was looked at; None for a file that is to be new."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for two names of one file that get one content."""
        seen = self.seen
        names = self.entry.target if seen is None else (seen.st_dev, seen.st_ino)
        return names, self.entry.digest


def replace(source: Source, text: str) -> None:
    """Write `text` over the file of `source`. Raises WriteError; the file is then as it was."""
    write_all([(source, text)])


def write_all(changes: Sequence[tuple[Source, str]]) -> None:
    """Write every text over the file of its source; a file reached by two paths is written once.
    A source that never was a file becomes one, where none is.

    All files are written or, with WriteError, none. Whatever ends the process in between, the next
    run of dlint on the project undoes what was written (`undoing.recover`).
    """
    targets: dict[Path, tuple[Source, str]] = {}
    for source, text in changes:
        targets.setdefault(Path(source.path).resolve(), (source, text))
    with _alone() as folder:
        pending = [_pending(*change, target) for target, change in targets.items()]
        _write(folder, pending)


@contextmanager
def _alone() -> Iterator[Path]:
    """The folder for notes, while no other dlint of this user writes. Raises WriteError."""
    folder = journal_folder()
    if folder is None:
        raise WriteError(
            "cannot write: there is no folder to note in what is being written; set "
            "XDG_STATE_HOME to one that belongs to you alone"
        )
    try:
        with alone(folder):
            yield folder
    except WriteError:
        raise
    except OSError as error:
        why = error.strerror or error
        raise WriteError(f"cannot note in {folder} what is being written: {why}") from error


def _pending(source: Source, text: str, target: Path) -> _Pending:
    """What a change comes to. Raises WriteError where it can be foreseen that it fails."""
    try:
        content = source.encode(text)
    except UnicodeEncodeError as error:
        raise WriteError(f"cannot write {source.path}: {error}") from error
    with _named(source):
        seen = _seen(source, target)
    name = f".dlint-{os.urandom(8).hex()}"
    names = (f"{name}-new", f"{name}-old")
    entry = Entry(source.path, str(target), *names, digest(content), source.raw is None)
    return _Pending(source, content, entry, seen)


def _write(folder: Path, pending: Sequence[_Pending]) -> None:
    if not pending:
        return
    journal = begun(folder, [item.entry for item in pending])
    try:
        _replace_all(pending)
        journal.close_as_done()
    except BaseException as error:
        left = settle(journal).problems
        if left and isinstance(error, WriteError):
            raise type(error)("; ".join([str(error), *left])) from error
        raise
    settle(journal)


def _replace_all(pending: Sequence[_Pending]) -> None:
    first: dict[tuple[object, ...], Entry] = {}
    for item in pending:
        with _named(item.source):
            lay(item.entry, item.content, first.setdefault(item.identity, item.entry))
    for item in pending:
        with _named(item.source):
            keep(item.entry)
    folders = [item.entry.folder for item in pending]
    synced(*folders)
    for item in pending:
        with _named(item.source):
            _check(item)
            put(item.entry)
    for item in pending:
        with _named(item.source):
            _check_kept(item)
    synced(*folders)


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """What goes wrong in here is told of this file."""
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(f"cannot write {source.path}: {error.strerror or error}") from error


def _seen(source: Source, target: Path) -> os.stat_result | None:
    """What the file is that may be written over: the one that was read. Raises OSError."""
    if source.raw is None:
        if os.path.lexists(target):
            raise ChangedOnDiskError(f"{source.path} came to be while dlint ran: it was left alone")
        return None
    seen = target.lstat()
    if not stat.S_ISREG(seen.st_mode) or target.read_bytes() != source.raw:
        raise _changed(source)
    if not stat.S_IMODE(seen.st_mode) & 0o222 or not os.access(target, os.W_OK):
        raise WriteError(f"cannot write {source.path}: the file is read-only")
    return seen


def _check(item: _Pending) -> None:
    """Raise unless the file is still the one that was looked at."""
    target = Path(item.entry.target)
    if item.seen is None:
        _seen(item.source, target)
    elif target.resolve() != target or not _is_same(target.lstat(), item.seen):
        raise _changed(item.source)


def _check_kept(item: _Pending) -> None:
    """Raise if somebody wrote to the old file until the last moment."""
    kept = item.entry.folder / item.entry.kept
    if item.seen is not None and kept.read_bytes() != item.source.raw:
        raise _changed(item.source)


def _is_same(now: os.stat_result, seen: os.stat_result) -> bool:
    """Whether nobody wrote to the file, replaced it, or changed its mode or owner."""
    facts = ("st_ino", "st_dev", "st_size", "st_mtime_ns", "st_mode", "st_uid", "st_gid")
    return all(getattr(now, fact) == getattr(seen, fact) for fact in facts)


def _changed(source: Source) -> ChangedOnDiskError:
    return ChangedOnDiskError(f"{source.path} changed while dlint ran: nothing was written")
