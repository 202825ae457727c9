"""What one run prepares for the next: downloads, caches, compiled modules.

Each run sees the disk as it was. Data that a script makes before it trains would then be made in
every run; what the first looks left of that is laid below the later runs, unchanged.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dlint.verify.run.view.cover import path_of

_LEAST = 1 << 20
"""Bytes of new files that are data, not the beginning of a log."""
_CACHES = ("XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME", "TRITON_CACHE_DIR", "NUMBA_CACHE_DIR")
_USUAL_CACHES = (".cache", ".triton", ".nv", ".keras")


def keep(changes: Path, layer: Path, began: float) -> bool:
    """Move what was prepared before the training `began` out of the changes of a run and into a
    layer. Returns whether there was any."""
    moved = False
    for place in changes.iterdir():
        upper = place / "changes"
        if upper.is_dir():
            found = list(_prepared(upper, Path(path_of(place.name)), began))
            for path in found:
                target = layer / path.relative_to(changes)
                _make_folders(target.parent, layer, changes)
                path.rename(target)
            moved = moved or bool(found)
    return moved


def _prepared(upper: Path, below: Path, began: float) -> Iterator[Path]:
    """The new entries that are worth keeping; `below` is the folder that `upper` lies over."""
    for entry in sorted(upper.iterdir()):
        facts, lower = entry.lstat(), below / entry.name
        if stat.S_ISCHR(facts.st_mode):  # it hides something
            continue
        is_folder = stat.S_ISDIR(facts.st_mode)
        if os.path.lexists(lower) or (is_folder and lower in _caches()):
            if is_folder and (not os.path.lexists(lower) or _is_folder(lower)):
                yield from _prepared(entry, lower, began)
        elif _is_worth_it(entry, lower, began):
            yield entry


def _is_worth_it(entry: Path, lower: Path, began: float) -> bool:
    if entry.name == "__pycache__":
        return True
    size = 0
    for path in (entry, *entry.rglob("*")):
        facts = path.lstat()
        if not stat.S_ISDIR(facts.st_mode):
            size += facts.st_size
            if max(facts.st_mtime, facts.st_ctime) >= began:
                return False
    return size >= _LEAST or any(lower.is_relative_to(cache) for cache in _caches())


def _caches() -> list[Path]:
    named = (os.environ.get(name) for name in _CACHES)
    usual = (Path.home() / name for name in _USUAL_CACHES)
    return [*(Path(name) for name in named if name), *usual]


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _make_folders(folder: Path, layer: Path, changes: Path) -> None:
    """Folders of the layer with the rights of those in the changes."""
    if folder.is_dir():
        return
    _make_folders(folder.parent, layer, changes)
    folder.mkdir()
    facts = (changes / folder.relative_to(layer)).stat()
    with suppress(OSError):
        os.chown(folder, facts.st_uid, facts.st_gid)
    folder.chmod(stat.S_IMODE(facts.st_mode))
