"""One file that takes another's place, and back: each step is one that a kill cannot halve.

`lay` puts the new file beside the old one, `keep` gives the old one a second name, `put` lets the
new one take its place, `undo` goes back from wherever that ended, and `tidy` removes what lies
beside.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from dlint.fixes.journal import Entry, write_new

_PAUSES = (0.01, 0.05, 0.2, 0.5)
"""Seconds between attempts."""


class ChangedSinceError(OSError):
    """A file that was written and is not what was written: it is somebody else's by now."""


def digest(content: bytes) -> str:
    """What tells one content from another."""
    return blake2b(content, digest_size=20).hexdigest()


def lay(entry: Entry, content: bytes, twin: Entry) -> None:
    """Put the new file beside the old one, with its mode, owner and attributes. Raises OSError.

    Two names of one file stay so: the second becomes one more of its `twin`, which was laid before.
    """
    fresh, target = entry.folder / entry.fresh, Path(entry.target)
    if twin is not entry:
        _name_twice(twin.folder / twin.fresh, fresh)
        return
    write_new(fresh, content)
    if entry.is_new:
        fresh.chmod(0o666 & ~_umask())
    else:
        _take_over(target, fresh)


def keep(entry: Entry) -> None:
    """Give the old file a second name; where there are no such names, copy it. Raises OSError."""
    kept = entry.folder / entry.kept
    if not entry.is_new:
        _name_twice(Path(entry.target), kept)


def put(entry: Entry) -> None:
    """Let the new file take its place. Raises OSError."""
    fresh, target = entry.folder / entry.fresh, Path(entry.target)
    if entry.is_new:
        _name_once(fresh, target)
    else:
        _patiently(lambda: fresh.replace(target))


def undo(entry: Entry) -> bool:
    """Let the old file be what it was. Returns whether it had been written over.

    Raises ChangedSinceError, with the file untouched, and OSError where it cannot be done now.
    """
    target, kept = Path(entry.target), entry.folder / entry.kept
    if not _is_where_it_was(entry):
        raise ChangedSinceError(f"{entry.path} is no longer where it was")
    if not target.exists() or not _is_put(entry):
        return False
    content = target.read_bytes() if _is_plain(target) else b""
    if digest(content) != entry.digest:
        if entry.is_new or content != kept.read_bytes():
            raise ChangedSinceError(f"{entry.path} was changed since")
    elif entry.is_new:
        target.unlink()
    else:
        _patiently(lambda: kept.replace(target))
    return True


def tidy(entry: Entry) -> None:
    """Remove what lies beside the file. Raises OSError.

    A file that is laid has not been put: it goes last.
    """
    if _is_where_it_was(entry):
        for name in (entry.kept, entry.fresh):
            with suppress(FileNotFoundError):
                _patiently((entry.folder / name).unlink)


def _is_where_it_was(entry: Entry) -> bool:
    """Whether the folder is the one that was written to: no link leads elsewhere by now."""
    return entry.folder.is_dir() and entry.folder.resolve() == entry.folder


def _is_put(entry: Entry) -> bool:
    """Whether the new file has taken its place, which is there."""
    fresh, target = entry.folder / entry.fresh, Path(entry.target)
    if not entry.is_new:
        return not _is_plain(fresh) and _is_plain(entry.folder / entry.kept)
    if _is_plain(fresh):
        return target.samefile(fresh)
    return _is_plain(target) and digest(target.read_bytes()) == entry.digest


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _take_over(target: Path, fresh: Path) -> None:
    """Give the new file the old one's owner, mode and extended attributes; its times are new."""
    status = target.stat()
    if hasattr(os, "chown"):
        for owner in (status.st_uid, -1):  # who may not give it away may still keep its group
            with suppress(PermissionError):
                os.chown(fresh, owner, status.st_gid)
                break
    shutil.copystat(target, fresh)
    _drop_attributes(fresh, target)
    os.utime(fresh)


def _drop_attributes(fresh: Path, target: Path) -> None:
    """Take away what the new file has from its folder alone, such as the folder's default ACL."""
    if sys.platform == "linux":
        with suppress(OSError):
            for name in {*os.listxattr(fresh)} - {*os.listxattr(target)}:
                os.removexattr(fresh, name)


def _name_twice(target: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(target)
    except FileExistsError:
        raise
    except OSError:
        write_new(kept, target.read_bytes())
        _take_over(target, kept)


def _name_once(fresh: Path, target: Path) -> None:
    """Give a new file its name, unless there is one of that name."""
    try:
        target.hardlink_to(fresh)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise
        fresh.rename(target)


def _patiently(step: Callable[[], object]) -> None:
    """Do what Windows refuses while another program reads the file, as scanners do for a moment."""
    for pause in _PAUSES if sys.platform == "win32" else ():
        try:
            step()
        except PermissionError:
            time.sleep(pause)
        else:
            return
    step()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
