"""Folders covered, in a mount namespace of the run's own, by something that is thrown away."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dlint.verify.run.view import kernel
from dlint.verify.run.view.mounts import OF_PROGRAMS, below, holds_files, inside

_SYSTEM = frozenset(("/bin", "/boot", "/etc", "/sbin", "/usr"))
"""Left out where they may not be written to anyway."""
_SMALL = 64 << 20
"""Bytes of a file that is copied where nothing can be laid over its folder."""
_MOST_ENTRIES = 5_000
_OPTIONS = (
    "redirect_dir=on,index=off,volatile",
    "userxattr,volatile",
    "redirect_dir=on,index=off",
    "userxattr",
    "",
)
"""Tried one after the other: the renaming of folders needs the rights of the machine's
administrator, and `volatile`, which spares the disk what is thrown away, a kernel of 2021."""


class Cover:
    """Lays something over each file system that holds files; `upper` is where changes go, in a
    place of its own for each folder. `layers` hold what earlier runs left for later ones, of which
    the first comes last; each has the same places."""

    def __init__(self, mounts: Mapping[str, str], upper: str, layers: Sequence[str] = ()) -> None:
        self._mounts = mounts
        self._upper, *self._layers = map(_kept, (upper, *layers))
        self._places = {path: _opened(path) for path in mounts}
        self.refused: list[str] = []
        """Folders in which writing is refused."""
        self.partly: list[str] = []
        """Those whose own small files are copies, and writing to the large ones is refused."""
        self.over: list[str] = []
        """Those that have something laid over them."""

    def all(self) -> None:
        """Cover everything but the root itself. Raises OSError where even refusing fails."""
        for path, kind in self._mounts.items():
            if path == "/":
                self._children(path)
            elif self._places[path] is not None and _is_shown(path):
                self._submount(path, kind)

    def own(self, folders: Sequence[tuple[str, int]]) -> None:
        """Cover folders of the user's that lie in somebody else's, given with their places: in a
        user namespace the kernel changes nothing in a folder of an owner whom that does not know,
        not even to lay something over what is inside."""
        for path, place in folders:
            if any(below(path, top) for top in self.over) and os.path.isdir(path):  # noqa: PTH112
                with suppress(OSError):
                    self._laid_over(path, f"/proc/self/fd/{place}")
                    self.over.append(path)

    def _submount(self, path: str, kind: str) -> None:
        """What is mounted below the root: what covers the folder above has hidden it."""
        source = f"/proc/self/fd/{self._places[path]}"
        if any(below(path, top) for top in self.over + self.partly + self.refused):
            kernel.mount(source, path, flags=kernel.BIND | kernel.RECURSIVE)
        if holds_files(path, kind):
            self._folder(path)

    def _children(self, path: str) -> None:
        for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
            if not entry.is_dir(follow_symlinks=False) or entry.path in self._mounts:
                continue
            system = entry.path in _SYSTEM and not os.access(entry.path, os.W_OK)
            if entry.path not in OF_PROGRAMS and not system:
                self._folder(entry.path)

    def _folder(self, path: str) -> None:
        """Cover a folder with the best that it lets itself be covered with."""
        if not os.path.lexists(path):
            return  # others remove folders meanwhile
        if not os.path.isdir(path):  # noqa: PTH112
            self._refuse(path)
        elif inside(path, self._mounts):
            self._copied(path)
        else:
            with suppress(OSError):
                self._laid_over(path)
                self.over.append(path)
                return
            self._refuse(path)

    def _refuse(self, path: str) -> None:
        with suppress(OSError):
            kernel.mount(path, path, flags=kernel.BIND | kernel.RECURSIVE)
        kernel.mount("", path, flags=kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY)
        self.refused.append(path)

    def _laid_over(self, path: str, source: str = "") -> None:
        """An overlay whose lower layers are the folder, or its `source`, and what earlier runs
        left of it."""
        place = address(path)
        changes, work = (Path(self._upper, place, name) for name in ("changes", "work"))
        for folder in (changes, work):
            folder.mkdir(parents=True, exist_ok=True)
        _alike(path, changes)
        kept = (Path(layer, place, "changes") for layer in reversed(self._layers))
        lower = [str(layer) for layer in kept if layer.is_dir()]
        if lower:
            with suppress(OSError):  # a layer may not lie inside of the folder
                overlay([*lower, source or path], str(changes), str(work), path)
                return
        overlay([source or path], str(changes), str(work), path)

    def _copied(self, path: str) -> None:
        """A folder in which something is mounted: a new one of the same entries."""
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        if len(entries) > _MOST_ENTRIES:
            self._refuse(path)
            return
        made = Path(self._upper, address(path), "copy")
        made.mkdir(parents=True)
        large = [entry for entry in entries if not _copy(entry, made)]
        _alike(path, made)
        for entry in large:
            with suppress(FileNotFoundError):  # removed meanwhile: its place stays empty
                _bind(entry.path, str(made / entry.name))
        folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        self._over_copy(path, str(made), [f for f in folders if f not in self._mounts])

    def _over_copy(self, path: str, made: str, folders: Sequence[str]) -> None:
        places = {folder: _opened(folder) for folder in folders}
        kernel.mount(made, path, flags=kernel.BIND | kernel.RECURSIVE)
        self.partly.append(path)
        for folder, place in places.items():
            if place is not None:
                if _shown(f"/proc/self/fd/{place}", folder):
                    self._folder(folder)
                os.close(place)


def overlay(lower: Sequence[str], upper: str, work: str, target: str) -> None:
    """Mount an overlay. Folders are named by numbers, which need no escapes. Raises OSError."""
    opened = [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in (*lower, upper, work)]
    *below_it, above, beside = (f"/proc/self/fd/{number}" for number in opened)
    layers = f"lowerdir={':'.join(below_it)},upperdir={above},workdir={beside}"
    try:
        for options in _OPTIONS:
            try:
                return kernel.mount("overlay", target, "overlay", 0, f"{layers},{options}")
            except OSError:
                if options == _OPTIONS[-1]:
                    raise
    finally:
        for number in opened:
            os.close(number)


def address(path: str) -> str:
    """A name of one part for a path."""
    return path.strip("/").replace("%", "%25").replace("/", "%2F") or "%"


def path_of(name: str) -> str:
    """The path that has this address."""
    return "/" + ("" if name == "%" else name.replace("%2F", "/").replace("%25", "%"))


def _kept(path: str) -> str:
    """A name that a folder has whatever is laid over it."""
    return f"/proc/self/fd/{os.open(path, os.O_PATH | os.O_DIRECTORY)}"


def _opened(path: str) -> int | None:
    with suppress(OSError):
        return os.open(path, os.O_PATH)
    return None


def _is_shown(path: str) -> bool:
    """Whether there is a place for what was mounted there."""
    return os.path.lexists(path)


def _alike(path: str, made: Path) -> None:
    """Give a new folder the rights and times of another. What may not be written stays so."""
    facts = os.stat(path)  # noqa: PTH116
    with suppress(OSError):
        os.chown(made, facts.st_uid, facts.st_gid)
    mode = stat.S_IMODE(facts.st_mode)
    made.chmod(mode if os.access(path, os.W_OK) else mode & ~0o222)
    os.utime(made, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _copy(entry: os.DirEntry[str], into: Path) -> bool:
    """Copy an entry; False for one that is to be shown itself. What others removed meanwhile is
    left out."""
    target = into / entry.name
    if not os.path.lexists(entry.path):
        return True
    if entry.is_symlink():
        target.symlink_to(os.readlink(entry.path))  # noqa: PTH115
    elif entry.is_dir(follow_symlinks=False):
        target.mkdir()
    elif entry.is_file() and entry.stat().st_size <= _SMALL and os.access(entry.path, os.R_OK):
        shutil.copy2(entry.path, target)
    else:
        target.touch()
        return False
    return True


def _shown(source: str, folder: str) -> bool:
    """Show a folder in its place in a copy; False where others have removed it meanwhile: its
    place stays empty, and is no way to anything of theirs."""
    try:
        kernel.mount(source, folder, flags=kernel.BIND | kernel.RECURSIVE)
    except FileNotFoundError:
        return False
    return True


def _bind(source: str, target: str) -> None:
    """Show a file that may not be written; a socket or a pipe is as it was."""
    kernel.mount(source, target, flags=kernel.BIND)
    kernel.mount("", target, flags=kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY)
