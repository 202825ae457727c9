"""Folders of what dlint keeps between runs: marked as such, cleared of what nobody uses, removed.

A folder that cannot be written to is used as far as it goes, without a word.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dlint.findings.regexes import lazily

DAY = 24 * 60 * 60.0
"""Seconds."""
KEPT = 30 * DAY
"""Seconds after its last use that an entry goes."""
ANSWERS = "answers-"
"""The names of the files that hold what is kept of one project begin so."""
_INDEX = lazily(r"[0-9a-f]{32}\.\w+")
_INDEXES = lazily(r"\d[^-]*-[0-9a-f]{16}")
_ANSWERS = lazily(ANSWERS + r"[0-9a-f]{32}\.[\w-]+")
_PRUNED = "pruned"
_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder holds what dlint keeps between runs. It may be deleted at any time.
# What this file is for: https://bford.info/cachedir/
"""

_MARKS = {"CACHEDIR.TAG": _TAG, ".gitignore": "*\n"}


def user_cache() -> Path | None:
    """The folder of dlint in the user's cache; None where the user has no folder at all.

    `XDG_CACHE_HOME` and `LOCALAPPDATA` where they are set to an absolute path, as the platforms
    describe it, else `~/.cache` or `~/Library/Caches`.
    """
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named, "dlint")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "dlint"


def open_folder(top: Path) -> None:
    """Make the folder and, once a day, clear it of what is no longer used. Raises OSError."""
    with suppress(FileExistsError):
        top.mkdir(parents=True)
        for name, text in _MARKS.items():
            (top / name).write_bytes(text.encode())
    stamp = top / _PRUNED
    if stamp.is_symlink():
        return
    if not stamp.exists() or age(stamp) > DAY:
        stamp.touch()
        for path in _entries(top):
            if age(path) > KEPT:
                path.unlink(missing_ok=True)


def clear(top: Path) -> int:
    """Remove what dlint keeps in a folder; how many files that were. Raises OSError.

    Files of anyone else stay, and with them the folders they are in; links are not followed.
    """
    if top.is_symlink() or not top.is_dir():
        return 0
    own = [*_entries(top), *_marks(top)]
    for path in own:
        path.unlink(missing_ok=True)
    emptied = {folder for path in own for folder in path.parents if folder.is_relative_to(top)}
    for folder in sorted(emptied, key=lambda folder: len(folder.parts), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return len(own)


def _marks(top: Path) -> Iterator[Path]:
    """What a folder of ours is marked with."""
    for name, text in (*_MARKS.items(), (_PRUNED, "")):
        path = top / name
        if path.is_file() and path.read_bytes() == text.encode():
            yield path


def _entries(top: Path) -> Iterator[Path]:
    """Every entry, also those of other versions; files of anyone else are left out."""
    for folder in top.iterdir():
        if _ANSWERS.fullmatch(folder.name) and folder.is_file():
            yield folder
        if _INDEXES.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
            for path in folder.glob("[0-9a-f][0-9a-f]/*"):
                if _INDEX.fullmatch(path.name) and not path.parent.is_symlink():
                    yield path


def age(path: Path) -> float:
    """Seconds since a file was written. Raises OSError."""
    return time.time() - path.stat().st_mtime


def note_use(path: Path) -> None:
    """An entry was of use today."""
    with suppress(OSError):
        if age(path) > DAY:
            os.utime(path)
