"""What the program writes is led into a second tree, where no kernel does it."""

# ruff: noqa: PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH120
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import builtins
import errno
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, TracebackType
from typing import Any

from . import libraries
from .shadow import Shadow

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FREE = ("/dev", "/proc", "/run", "/sys")
Function = Callable[..., Any]


def install(changes: str, scratch: str) -> dict[str, Callable[[ModuleType], None]]:
    """Lead the functions of `os` and `open` into the second tree. Returns what is to be done after
    the import of modules that write by themselves."""
    shadow = Shadow(changes, (scratch, *_FREE))
    _Opening(shadow).install()
    _Changing(shadow).install()
    _Looking(shadow).install()
    if "shutil" in sys.modules:
        sys.modules["shutil"]._use_fd_functions = False  # type: ignore[attr-defined]
    return libraries.leading(shadow)


class _Call:
    """Calls a function that stands for one of C: as an attribute of a class it is no method, on
    which older pathlibs rely. Errors name the path that the program gave."""

    def __init__(self, function: Function, real: Function) -> None:
        self._function = function
        functools.update_wrapper(self, real)

    def __call__(self, *args: Any, **named: Any) -> Any:
        try:
            return self._function(*args, **named)
        except OSError as error:
            if error.filename is not None and args and not isinstance(args[0], int):
                error.filename = args[0]
            raise


def _raise(number: int, path: str) -> None:
    raise OSError(number, os.strerror(number), path)


class _Patches:
    """Functions of `os` that are replaced by methods of the same names."""

    names: tuple[str, ...] = ()

    def __init__(self, shadow: Shadow) -> None:
        self.shadow = shadow
        self.real: dict[str, Function] = {name: getattr(os, name) for name in self.names}

    def install(self) -> None:
        """Put them in place."""
        for name in self.names:
            method = getattr(self, name, None) or functools.partial(self.each, name)
            setattr(os, name, _Call(method, self.real[name]))

    def each(self, name: str, path: Any, *args: Any, **named: Any) -> Any:
        """What is done where a function has no method of its own."""
        raise NotImplementedError


class _Opening(_Patches):
    names = ("open",)

    def install(self) -> None:
        """`open` of Python's own asks `os.open`."""
        super().install()
        original, own = io.open, functools.partial(os.open, mode=0o666)

        def opened(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Any = None,
        ) -> Any:
            given = None if isinstance(file, int) else opener or own
            return original(file, mode, buffering, encoding, errors, newline, closefd, given)

        builtins.open = io.open = _Call(opened, original)

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        """Open what is there, or a copy that may be changed."""
        shadow = self.shadow
        means = shadow.path(path, dir_fd, not flags & os.O_NOFOLLOW)
        temporary = flags & os.O_TMPFILE == os.O_TMPFILE
        if not flags & _WRITES or temporary:
            return int(self.real["open"](shadow.place(means), flags, mode))
        if flags & os.O_CREAT and flags & os.O_EXCL and shadow.has(means):
            _raise(errno.EEXIST, means)
        if not flags & os.O_CREAT and not shadow.has(means):
            _raise(errno.ENOENT, means)
        target = shadow.to_write(means, keep=not flags & os.O_TRUNC)
        if flags & os.O_TRUNC and target != means:
            flags |= os.O_CREAT
        return int(self.real["open"](target, flags, mode))


class _Changing(_Patches):
    names = (
        *("chmod", "chown", "lchown", "truncate", "utime", "setxattr", "removexattr", "mkdir"),
        *("fchmod", "fchown"),
        *("mkfifo", "mknod", "rename", "replace", "unlink", "remove", "rmdir", "symlink", "link"),
    )

    def each(self, name: str, path: Any, *args: Any, **named: Any) -> Any:
        """Change a copy of what is there."""
        follow = named.get("follow_symlinks", name != "lchown")
        opened = path if isinstance(path, int) else None
        if opened is not None:
            path = os.readlink(f"/proc/self/fd/{opened}")
        means = self.shadow.path(path, named.pop("dir_fd", None), follow)
        if opened is not None and not (path.startswith("/") and self.shadow.has(means)):
            return self.real[name](opened, *args, **named)  # a pipe, or a file without a name
        if not self.shadow.has(means):
            _raise(errno.ENOENT, means)
        return self.real[name](self.shadow.to_write(means, keep=True), *args, **named)

    def fchmod(self, fd: int, mode: int) -> None:
        """Rights of an open file, which may be the user's."""
        self.each("chmod", fd, mode)

    def fchown(self, fd: int, uid: int, gid: int) -> None:
        """Its owner."""
        self.each("chown", fd, uid, gid)

    def _new(self, name: str, path: Any, folder: int | None, *args: Any) -> None:
        means = self.shadow.path(path, folder, follow=False)
        if self.shadow.has(means):
            _raise(errno.EEXIST, means)
        self.real[name](self.shadow.to_write(means, keep=False), *args)

    def mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        """Make a folder."""
        self._new("mkdir", path, dir_fd, mode)

    def mkfifo(self, path: Any, mode: int = 0o666, *, dir_fd: int | None = None) -> None:
        """Make a pipe."""
        self._new("mkfifo", path, dir_fd, mode)

    def mknod(
        self, path: Any, mode: int = 0o600, device: int = 0, *, dir_fd: int | None = None
    ) -> None:
        """Make a file or a pipe."""
        self._new("mknod", path, dir_fd, mode, device)

    def symlink(
        self,
        src: Any,
        dst: Any,
        target_is_directory: bool = False,
        *,
        dir_fd: int | None = None,
    ) -> None:
        """Make a link; what it leads to may be in either tree."""
        means = self.shadow.path(dst, dir_fd, follow=False)
        if self.shadow.has(means):
            _raise(errno.EEXIST, means)
        self.real["symlink"](src, self.shadow.to_write(means, keep=False))

    def link(self, src: Any, dst: Any, **named: Any) -> None:
        """Give a second name to a copy."""
        shadow = self.shadow
        first = shadow.path(src, named.get("src_dir_fd"), named.get("follow_symlinks", True))
        second = shadow.path(dst, named.get("dst_dir_fd"), follow=False)
        if shadow.has(second):
            _raise(errno.EEXIST, second)
        copy = shadow.to_write(first, keep=True)
        self.real["link"](copy, shadow.to_write(second, keep=False))

    def rename(
        self,
        src: Any,
        dst: Any,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
    ) -> None:
        """Move a copy, and hide what it is a copy of."""
        shadow = self.shadow
        first = shadow.path(src, src_dir_fd, follow=False)
        second = shadow.path(dst, dst_dir_fd, follow=False)
        if shadow.is_free(first) and shadow.is_free(second):
            self.real["rename"](first, second)
            return
        if not shadow.has(first):
            _raise(errno.ENOENT, first)
        target = shadow.place(second)
        if shadow.has(second) and _is_folder(target) and shadow.names(second):
            _raise(errno.ENOTEMPTY, second)
        is_folder = shadow.has(second) and _is_folder(target)
        moved, target = shadow.whole(first), shadow.to_write(second, keep=is_folder)
        self.real["rename"](moved, target)
        shadow.hide(first)
        shadow.hide(second)

    replace = rename

    def unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        """Take away what the program sees."""
        self._take("unlink", self.shadow.path(path, dir_fd, follow=False))

    remove = unlink

    def rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        """Take away a folder in which the program sees nothing."""
        means = self.shadow.path(path, dir_fd, follow=False)
        if self.shadow.has(means) and self.shadow.names(means):
            _raise(errno.ENOTEMPTY, means)
        self._take("rmdir", means)

    def _take(self, name: str, means: str) -> None:
        shadow = self.shadow
        if shadow.is_free(means):
            self.real[name](means)
            return
        if not shadow.has(means):
            _raise(errno.ENOENT, means)
        place = shadow.place(means)
        if place != means:
            self.real[name](place)
        elif _is_folder(place) is (name == "unlink"):
            _raise(errno.EISDIR if name == "unlink" else errno.ENOTDIR, means)
        elif not os.access(os.path.dirname(means), os.W_OK):
            _raise(errno.EACCES, means)
        shadow.hide(means)


class _Looking(_Patches):
    names = ("stat", "lstat", "access", "readlink", "listdir", "scandir", "chdir", "getcwd")

    def each(self, name: str, path: Any, *args: Any, **named: Any) -> Any:
        """Look at what the program sees."""
        if isinstance(path, int):
            return self.real[name](path, *args, **named)
        follow = named.get("follow_symlinks", name not in ("lstat", "readlink"))
        means = self.shadow.path(path, named.pop("dir_fd", None), follow)
        return self.real[name](self.shadow.place(means), *args, **named)

    def readlink(self, path: Any, *, dir_fd: int | None = None) -> Any:
        """A link's text; links of the kernel's may lead into the second tree."""
        place = self.shadow.place(self.shadow.path(path, dir_fd, follow=False))
        text = self.real["readlink"](place)
        text = self.shadow.seen_as(text)
        return os.fsencode(text) if isinstance(path, bytes) else text

    def listdir(self, path: Any = ".") -> list[Any]:
        """The names in both trees."""
        if isinstance(path, int):
            path = self.real["readlink"](f"/proc/self/fd/{path}")
        means = self.shadow.path("." if path is None else path)
        place = self.shadow.place(means)
        if self.shadow.is_free(means) or not _is_folder(place):
            found = self.real["listdir"](place)
        else:
            found = self.shadow.names(means)
        return [os.fsencode(name) for name in found] if isinstance(path, bytes) else found

    def scandir(self, path: Any = ".") -> Any:
        """Their entries."""
        path = "." if path is None else path
        names = self.listdir(path)
        if isinstance(path, int):
            return self.real["scandir"](path)
        return _Scan([_Entry(os.fspath(path), name) for name in names])

    def chdir(self, path: Any) -> None:
        """Go where the program sees a folder."""
        self.real["chdir"](
            path if isinstance(path, int) else self.shadow.place(self.shadow.path(path))
        )

    def getcwd(self) -> str:
        """Where the program believes to be."""
        return self.shadow.seen_as(self.real["getcwd"]())


class _Entry:
    """What `os.scandir` gives."""

    def __init__(self, folder: Any, name: Any) -> None:
        self.name, self.path = name, os.path.join(folder, name)

    def __fspath__(self) -> Any:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Its facts."""
        return os.stat(self.path, follow_symlinks=follow_symlinks)

    def inode(self) -> int:
        """Its number."""
        return os.lstat(self.path).st_ino

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        if not follow_symlinks and os.path.islink(self.path):
            return False
        return os.path.isdir(self.path)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        if not follow_symlinks and os.path.islink(self.path):
            return False
        return os.path.isfile(self.path)

    def is_symlink(self) -> bool:
        """Whether it is a link."""
        return os.path.islink(self.path)

    def is_junction(self) -> bool:
        """Never, here."""
        return False


class _Scan:
    """An iterator that can be closed."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[_Entry]:
        return self

    def __next__(self) -> _Entry:
        return next(self._entries)

    def __enter__(self) -> _Scan:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """There is nothing open."""
        self._entries = iter(())


def _is_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)
