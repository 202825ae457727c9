"""`.gitignore` files: which ones speak of a path, and what they say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.roots import repository_top

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


class IgnoreFile(NamedTuple):
    """The patterns of one `.gitignore`, for paths below its directory."""

    prefix: str
    """The directory, with a trailing separator."""
    spec: GitIgnoreSpec

    def decides(self, path: str, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None when no pattern speaks of it."""
        relative = path[len(self.prefix) :] + ("/" if is_directory else "")
        return self.spec.check_file(relative).include


IgnoreFiles = tuple[IgnoreFile, ...]
"""From the outermost to the innermost, which has the last word."""


def is_ignored(files: IgnoreFiles, path: str, is_directory: bool) -> bool:
    """Whether git would leave out this path, none of whose parents it leaves out."""
    for file in reversed(files):
        decision = file.decides(path, is_directory)
        if decision is not None:
            return decision
    return False


def above(directory: Path) -> IgnoreFiles:
    """The ignore files between a repository's top and `directory`, without its own.

    None of them counts when they ignore `directory` itself: whoever names it wants what it holds.
    """
    top = repository_top(directory)
    if top is None or top == directory:
        return ()
    folders = [f for f in reversed(directory.parents) if f.is_relative_to(top)]
    files: IgnoreFiles = ()
    for folder, child in zip(folders, [*folders[1:], directory], strict=True):
        files += read(str(folder)) if (folder / NAME).is_file() else ()
        if is_ignored(files, str(child), is_directory=True):
            return ()
    return files


def read(directory: str) -> IgnoreFiles:
    """The `.gitignore` of one directory; empty when it cannot be read."""
    prefix = directory.rstrip(os.sep) + os.sep
    try:
        text = Path(prefix, NAME).read_text("utf-8", errors="surrogateescape")
    except OSError:
        return ()
    return (IgnoreFile(prefix, _spec(text.splitlines())),)


def _spec(lines: list[str]) -> GitIgnoreSpec:
    """The patterns; as in git, a line that is no pattern is passed over."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)])


def _is_valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
