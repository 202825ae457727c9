"""A second tree in which what the program changes is kept, and the first one seen through it."""

# ruff: noqa: PTH118, PTH120
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import errno
import os
import stat as modes
from contextlib import suppress
from typing import Any

_LARGE = 256 << 20
"""Bytes of a file that is not copied to be changed; where the file system can share them, it is."""
_CLONE = 0x40049409
_LINKS = 40
_PART = ".dlint-copying"

_open, _stat, _lstat, _listdir = os.open, os.stat, os.lstat, os.listdir
_mkdir, _link, _unlink = os.mkdir, os.link, os.unlink
_readlink, _symlink, _access, _getcwd = os.readlink, os.symlink, os.access, os.getcwd
_chmod, _utime, _write = os.chmod, os.utime, os.write


def _there(path: str) -> os.stat_result | None:
    with suppress(OSError, ValueError):
        return _lstat(path)
    return None


class Shadow:
    """What is changed below `new`, under the same path; what is gone is named in a file beside it,
    one path a line. All processes of a run share both."""

    def __init__(self, changes: str, free: tuple[str, ...]) -> None:
        self.new = os.path.join(changes, "new")
        self._log = os.path.join(changes, "gone")
        self._free = tuple(path.rstrip("/") for path in (*free, changes))
        self._gone: set[str] = set()
        self._read = 0
        self._folders: dict[str, str] = {}
        with suppress(FileExistsError):
            _mkdir(changes)
        with suppress(FileExistsError):
            _mkdir(self.new)

    def is_free(self, path: str) -> bool:
        """Whether a path may be written to as it is."""
        return any(path == top or path.startswith(top + "/") for top in self._free)

    def seen_as(self, path: str) -> str:
        """The path that the program knows of something that may be in the second tree."""
        return path[len(self.new) :] or "/" if _is_below(path, self.new) else path

    def path(self, given: Any, folder: int | None = None, follow: bool = True) -> str:
        """The absolute path that a program means, without links."""
        text = os.fsdecode(given)
        if not text.startswith("/"):
            start = _getcwd() if folder is None else _readlink(f"/proc/self/fd/{folder}")
            text = os.path.join(start, text)
        text = self.seen_as(text)
        above, name = os.path.split(text.rstrip("/") or "/")
        if name in ("", ".", ".."):
            return self._folder(text)
        whole = os.path.join(self._folder(above), name)
        return self._target(whole) if follow else whole

    def _target(self, path: str, left: int = _LINKS) -> str:
        """What a link leads to, in the end."""
        place = self.place(path)
        found = _there(place)
        if found is None or not modes.S_ISLNK(found.st_mode):
            return path
        if left == 0:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        text = os.path.join(os.path.dirname(path), _readlink(place))
        above, name = os.path.split(text.rstrip("/") or "/")
        if name in ("", ".", ".."):
            return self._folder(text, left - 1)
        return self._target(os.path.join(self._folder(above, left - 1), name), left - 1)

    def _folder(self, path: str, left: int = _LINKS) -> str:
        """A folder without links and dots; what it is does not change in a run."""
        known = self._folders.get(path)
        if known is None:
            known = "/"
            for part in path.split("/"):
                if part == "..":
                    known = os.path.dirname(known)
                elif part not in ("", "."):
                    known = self._target(os.path.join(known, part), left)
            self._folders[path] = known
        return known

    def place(self, path: str) -> str:
        """Where the contents of a path are."""
        inner = self.new + path
        if self.is_free(path):
            return path
        return inner if _there(inner) is not None or self._hides(path) else path

    def has(self, path: str) -> bool:
        """Whether there is something, as the program sees it."""
        return _there(self.place(path)) is not None

    def _hides(self, path: str) -> bool:
        self._refresh()
        if not self._gone:
            return False
        while path != "/":
            if path in self._gone:
                return True
            path = os.path.dirname(path)
        return False

    def _refresh(self) -> None:
        found = _there(self._log)
        if found is None or found.st_size == self._read:
            return
        number = _open(self._log, os.O_RDONLY)
        try:
            os.lseek(number, self._read, os.SEEK_SET)
            data = os.read(number, found.st_size - self._read)
        finally:
            os.close(number)
        self._read += len(data)
        self._gone.update(os.fsdecode(line) for line in data.split(b"\0") if line)

    def hide(self, path: str) -> None:
        """From now on what the first tree has there is not seen."""
        if _there(path) is None:
            return
        number = _open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _write(number, os.fsencode(path) + b"\0")
        finally:
            os.close(number)
        self._folders.clear()

    def names(self, path: str) -> list[str]:
        """The entries of a folder."""
        inner, found = self.new + path, set[str]()
        if not self._hides(path) and not self.is_free(path):
            with suppress(FileNotFoundError):
                hidden = (name for name in _listdir(path) if not self._is_gone(path, name))
                found.update(hidden)
        with suppress(FileNotFoundError):
            found.update(name for name in _listdir(inner) if not name.endswith(_PART))
        return sorted(found) if found or self.has(path) else _listdir(path)

    def _is_gone(self, folder: str, name: str) -> bool:
        return os.path.join(folder, name) in self._gone

    def to_write(self, path: str, keep: bool) -> str:
        """Where something may be written in place of `path`; with what is there now, if that is to
        be kept. What could not be written anyway fails as it would."""
        inner = self.new + path
        if self.is_free(path) or _there(inner) is not None:
            return path if self.is_free(path) else inner
        above = os.path.dirname(path)
        lower = None if self._hides(path) else _there(path)
        if not self._may_write(path if lower is not None else above):
            return path
        if _there(self.place(above)) is not None:
            self._make_folder(above)
        if lower is not None and keep:
            self._copy(path, lower)
        return inner

    def _may_write(self, path: str) -> bool:
        place = self.place(path)
        found = _there(place)
        return found is None or modes.S_ISLNK(found.st_mode) or _access(place, os.W_OK)

    def _make_folder(self, path: str) -> None:
        """The folder of the second tree that stands for one of the first."""
        inner = self.new + path
        if path == "/" or _there(inner) is not None:
            return
        self._make_folder(os.path.dirname(path))
        with suppress(FileExistsError):
            _mkdir(inner)
            _alike(path, inner)

    def whole(self, path: str) -> str:
        """A thing with all that is in it, in the second tree only."""
        inner = self.to_write(path, keep=True)
        if modes.S_ISDIR(_lstat(inner).st_mode):
            for name in self.names(path):
                self.whole(os.path.join(path, name))
        return inner

    def _copy(self, path: str, found: os.stat_result) -> None:
        inner = self.new + path
        if modes.S_ISDIR(found.st_mode):
            self._make_folder(path)
        elif modes.S_ISLNK(found.st_mode):
            _symlink(_readlink(path), inner)
        elif modes.S_ISREG(found.st_mode):
            part = f"{inner}.{os.getpid()}{_PART}"
            _copy_file(path, part, found.st_size)
            _alike(path, part)
            with suppress(
                FileExistsError
            ):  # another process has it already, and may have changed it
                _link(part, inner)
            _unlink(part)
        else:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


def _copy_file(path: str, target: str, size: int) -> None:
    """Copy a file, or share its blocks. Raises OSError for one that is too large."""
    source = _open(path, os.O_RDONLY)
    made = _open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        import fcntl

        with suppress(OSError):
            fcntl.ioctl(made, _CLONE, source)
            return
        if size > _LARGE:
            _unlink(target)
            why = f"dlint keeps it from being changed, and its {size >> 20} MB are not copied"
            raise OSError(errno.EROFS, why, path)
        left = size
        while left > 0:
            left -= os.sendfile(made, source, None, left) or left
    finally:
        os.close(source)
        os.close(made)


def _alike(path: str, made: str) -> None:
    """The same rights and times."""
    found = _stat(path)
    with suppress(OSError):
        _chmod(made, modes.S_IMODE(found.st_mode))
        _utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top + "/")
