"""Files that git tracks although an ignore file names them: `git add -f`, or a later pattern.

Git leaves out what it does not track alone. So a folder `data/` of code may stand in `.gitignore`,
and be a part of the project.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from dlint.workspace.errors import UsageError
from dlint.workspace.roots import repository_top
from dlint.workspace.spelling import prefix, spelled

_COMPRESSED = 4
"""The version of an index whose paths are not written out."""


class Tracked:
    """What one repository tracks of the paths that its ignore files name.

    Git is asked only of a path that may stand in the index, which is read as bytes before.
    """

    def __init__(self, directory: Path) -> None:
        self._top = repository_top(directory)

    def holds(self, path: str, is_directory: bool) -> bool:
        """Whether git tracks a path that an ignore file names, or something below it."""
        if self._top is None or not path.startswith(prefix(self._top)):
            return False
        relative = path[len(prefix(self._top)) :] + "/" * is_directory
        if not self._may_hold(relative):
            return False
        if is_directory:
            return any(name.startswith(relative) for name in self._names)
        return relative in self._names

    def _may_hold(self, relative: str) -> bool:
        index = self._index
        return index is None or os.fsencode(relative) in index

    @cached_property
    def _index(self) -> bytes | None:
        """The index as it lies on the disk; None where only git can read it."""
        assert self._top is not None
        folder = self._top / ".git"
        if not folder.is_dir():
            return None  # a worktree or submodule, whose index lies elsewhere
        try:
            index = (folder / "index").read_bytes()
        except OSError:
            return b""
        return None if int.from_bytes(index[4:8], "big") >= _COMPRESSED else index

    @cached_property
    def _names(self) -> frozenset[str]:
        from dlint.workspace.git import tracked_though_ignored

        assert self._top is not None
        try:
            names = tracked_though_ignored(self._top)
        except UsageError:
            return frozenset()
        return frozenset(spelled(name) for name in names)
