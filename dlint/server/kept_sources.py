"""Files on disk, read once and again when they changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from dlint.workspace.reading import Sources, read
from dlint.workspace.source import Source, UnreadableError

_RACY = 2_000_000_000
"""Nanoseconds in which a file may change twice without another time of change."""


class _Stamp(NamedTuple):
    changed: int
    size: int
    inode: int


class _Kept(NamedTuple):
    stamp: _Stamp
    read: int
    """When it was read, in nanoseconds."""
    source: Source

    def holds(self, stamp: _Stamp) -> bool:
        """Whether the file is certain to be as it was: git trusts its index by the same rule."""
        return stamp == self.stamp and self.read - stamp.changed > _RACY


class KeptSources:
    """The texts of files between runs: one that did not change is the same object."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def now(self, overrides: Mapping[str, Source]) -> Sources:
        """The sources of one run, in which open texts stand for files."""
        return Sources(overrides, self.get)

    def get(self, path: str) -> Source:
        """A file as it is on disk. Raises UnreadableError."""
        stamp, now = _stamp(path), time.time_ns()
        kept = self._kept.get(path)
        if kept is not None and kept.holds(stamp):
            return kept.source
        source = read(path)
        if kept is not None and kept.source.raw == source.raw:
            source = kept.source
        self._kept[path] = _Kept(stamp, now, source)
        return source


def _stamp(path: str) -> _Stamp:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UnreadableError(f"cannot read {path}: {error.strerror or error}") from error
    return _Stamp(status.st_mtime_ns, status.st_size, status.st_ino)
