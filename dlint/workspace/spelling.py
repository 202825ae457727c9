"""How paths are written inside dlint: with slashes on every system, which all of them take."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

flavour: ModuleType = os.path
"""How this system reads paths: `posixpath`, or `ntpath`."""


_BLIND_TO_CASE = frozenset({"win32", "darwin"})


def spelled(path: str | os.PathLike[str]) -> str:
    """A path with slashes, and with a great letter for a drive."""
    text = os.fspath(path)
    if flavour.sep == "/":
        return text
    text = text.replace(flavour.sep, "/")
    return text[0].upper() + text[1:] if text[1:2] == ":" else text


def normal(path: str | os.PathLike[str]) -> str:
    """A path with slashes and without `.`, `..` and doubled slashes."""
    return spelled(flavour.normpath(path))


def prefix(directory: str | os.PathLike[str]) -> str:
    """What the paths of all files below a directory begin with."""
    return spelled(directory).rstrip("/") + "/"


def on_disk(path: Path) -> Path:
    """An absolute path with the letters that its folders list it by, where case does not count.

    Else one file would be two, and a module would not be found by the name that it is imported by.
    """
    if sys.platform not in _BLIND_TO_CASE:
        return path
    found = Path(spelled(path.anchor))
    for part in path.parts[1:]:
        found /= _listed(found, part)
    return found


def _listed(folder: Path, name: str) -> str:
    import unicodedata

    def plain(text: str) -> str:
        return unicodedata.normalize("NFC", text).casefold()

    try:
        names = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return name
    if name in names:
        return name
    return next((other for other in names if plain(other) == plain(name)), name)
