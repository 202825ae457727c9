"""FixResult texts written over the files they came from, each whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dlint.workspace.source import Source

_PAUSES = (0.01, 0.05, 0.2, 0.5)
"""Seconds between attempts."""


class WriteError(OSError):
    """A file that was not written; the message names it and says why."""


class ChangedOnDiskError(WriteError):
    """A file that changed since it was read."""


@dataclass(frozen=True, slots=True)
class _Pending:
    source: Source
    target: Path
    """The file itself, behind any symbolic links."""
    temporary: Path
    """The new content, beside it."""


def replace(source: Source, text: str) -> None:
    """Write `text` over the file of `source`. Raises WriteError; the file is then as it was."""
    write_all([(source, text)])


def write_all(changes: Sequence[tuple[Source, str]]) -> None:
    """Write every text over the file of its source; a file reached by two paths is written once.
    A source that never was a file becomes one, where none is.

    All contents are on disk beside their files before the first file is replaced, so what can be
    foreseen raises WriteError with no file touched. Each replacement is atomic; if one fails, the
    error says which files had been written.
    """
    pending: list[_Pending] = []
    try:
        for source, text in changes:
            if Path(source.path).resolve() not in {p.target for p in pending}:
                pending.append(_prepare(source, text))
        for index, item in enumerate(pending):
            _commit(item, [p.target for p in pending[:index]])
    finally:
        for item in pending:
            with suppress(FileNotFoundError):
                item.temporary.unlink()


def _prepare(source: Source, text: str) -> _Pending:
    target = Path(source.path).resolve()
    try:
        content = source.encode(text)
    except UnicodeEncodeError as error:
        raise WriteError(f"cannot write {source.path}: {error}") from error
    try:
        _check(source, target)
        return _Pending(source, target, _write_beside(target, content))
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(f"cannot write {source.path}: {error.strerror or error}") from error


def _check(source: Source, target: Path) -> None:
    """Raise unless the file may be written and holds the bytes that were read, or is to be new."""
    if source.raw is None:
        if target.exists():
            raise ChangedOnDiskError(f"{source.path} came to be while dlint ran: it was left alone")
        return
    if target.read_bytes() != source.raw:
        raise ChangedOnDiskError(f"{source.path} changed while dlint ran and was not written")
    if not stat.S_IMODE(target.stat().st_mode) & 0o222 or not os.access(target, os.W_OK):
        raise WriteError(f"cannot write {source.path}: the file is read-only")


def _write_beside(target: Path, content: bytes) -> Path:
    """A new file in the same directory with this content and the target's mode and owner."""
    handle, name = tempfile.mkstemp(prefix=".dlint-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _take_over(target, temporary)
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _take_over(target: Path, temporary: Path) -> None:
    """Give the new file the target's owner, mode and extended attributes; its times are new."""
    if not target.exists():
        temporary.chmod(0o666 & ~_umask())
        return
    status = target.stat()
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, status.st_uid, status.st_gid)
    shutil.copystat(target, temporary)
    os.utime(temporary)


def _put(temporary: Path, target: Path) -> None:
    """Let the new file take the old one's place.

    On Windows that fails while another program reads the file, as scanners do for a moment.
    """
    for pause in _PAUSES if sys.platform == "win32" else ():
        try:
            temporary.replace(target)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    temporary.replace(target)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _commit(item: _Pending, written: Sequence[Path]) -> None:
    """Put one new file in its place, if the old one still is what was read."""
    done = f"; already written: {', '.join(map(str, written))}" if written else ""
    try:
        _check(item.source, item.target)
        if item.source.raw is None:
            item.target.hardlink_to(item.temporary)  # fails where somebody was faster
        else:
            _put(item.temporary, item.target)
    except WriteError as error:
        raise type(error)(f"{error}{done}") from error
    except OSError as error:
        why = error.strerror or error
        raise WriteError(f"cannot write {item.source.path}: {why}{done}") from error
