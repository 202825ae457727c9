"""Where dlint keeps what outlives a run and is no part of a project: with the user."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

WRITES = "writes"
"""The folder of the notes about what is being written; `dlint.fixes.journal` writes them."""
BEGUN, DONE, DRAFT = ".json", ".done", ".new"
"""How the names of notes end."""
_KEY = 32
"""Bytes of the key."""


def folders_with_notes() -> Iterator[Path]:
    """The folders of this user in which there are notes of a write, or a draft of some."""
    for top in state_folders():
        folder = top / WRITES
        if is_own(top) and is_own(folder):
            with suppress(OSError):
                if any(name.endswith((BEGUN, DONE, DRAFT)) for name in os.listdir(folder)):  # noqa: PTH208
                    yield folder


def state_folders() -> Iterator[Path]:
    """Folders for what concerns this user alone, the best one first; they need not exist.

    `XDG_STATE_HOME` where it is an absolute path, as its specification has it, else the usual
    place below the user's home; then one in the folder for temporary files.
    """
    given = os.environ.get("XDG_STATE_HOME", "")
    if Path(given).is_absolute():
        yield Path(given, "dlint")
    else:
        yield from _at_home()
    if sys.platform != "win32":
        temporary = Path(os.environ.get("TMPDIR", ""))
        yield (temporary if temporary.is_absolute() else Path("/tmp")) / f"dlint-{os.getuid()}"


def _at_home() -> Iterator[Path]:
    local = os.environ.get("LOCALAPPDATA", "")
    if sys.platform == "win32" and local:
        yield Path(local, "dlint")
        return
    try:
        yield Path.home() / ".local" / "state" / "dlint"
    except RuntimeError:  # this user has no home
        return


def is_own(folder: Path) -> bool:
    """Whether a folder is there that this user has made and that nobody else can write to."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def own_key() -> bytes | None:
    """Bytes that nobody else knows, the same in each run; None where they cannot be kept."""
    folder = own_folder("key")
    if folder is None:
        return None
    file = folder / "key"
    with suppress(OSError):
        if not file.exists():
            draft = folder / f"{os.getpid()}.new"
            draft.write_bytes(os.urandom(_KEY))
            draft.chmod(0o600)
            draft.replace(file)
        key = file.read_bytes()
        return key if len(key) == _KEY else None
    return None


def own_folder(name: str) -> Path | None:
    """The first folder of this name that can be made and is the user's own; None if there is none.

    It can be written to, or could be when it was made.
    """
    for top in state_folders():
        folder = top / name
        try:
            top.parent.mkdir(parents=True, exist_ok=True)
            for made in (top, folder):
                made.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            continue
        if is_own(top) and is_own(folder) and os.access(folder, os.W_OK):
            return folder
    return None
