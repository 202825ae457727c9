"""Which project a file belongs to."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

MARKERS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", ".git"})
"""What a project's top directory holds one of."""
TOPS = frozenset(
    [".gitattributes", ".github", ".gitignore", "LICENSE", "LICENSE.md", "LICENSE.txt"]
)
"""What the top of a repository holds one of, also where it was laid out without `.git`.

Folders further down may hold them, too: only the outermost counts.
"""

_INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders whose packages have nothing to do with each other."""


def _nowhere(_: Path) -> bool:
    return False


def project_roots(
    directories: Iterable[Path], is_set: Callable[[Path], bool] = _nowhere
) -> dict[Path, Path]:
    """The project root of each directory (absolute paths); `is_set` tells what settings say of one.

    Directories without a marked root share their common folder, widened out of Python packages.
    """
    roots = {directory: marked_root(directory, is_set) for directory in directories}
    unmarked = [directory for directory, root in roots.items() if root is None]
    common = _common(unmarked)
    return {directory: root or unpackaged(common or directory) for directory, root in roots.items()}


def marked_root(directory: Path, is_set: Callable[[Path], bool] = _nowhere) -> Path | None:
    """The outermost marked folder at or above `directory`, not above the nearest repository.

    What looks like the top of a repository is marked, too. The nearest one of which `is_set` holds
    comes before. None when there is none below the user's home directory and the file system's
    root.
    """
    found = None
    for folder in (directory, *directory.parents):
        if is_too_wide(folder):
            break
        if is_set(folder):
            return folder
        if is_marked(folder):
            found = folder
        if (folder / ".git").exists():
            break
    return found


def is_marked(folder: Path) -> bool:
    """Whether a folder is the top of a project, or looks like the top of a repository."""
    return any((folder / marker).exists() for marker in MARKERS | TOPS)


def unpackaged(directory: Path) -> Path:
    """The nearest folder at or above `directory` that is no Python package."""
    found = directory
    for folder in (directory, *directory.parents):
        if is_too_wide(folder) or (folder != directory and folder.name in _INSTALLED):
            break
        found = folder
        if not (folder / "__init__.py").exists():
            break
    return found


def repository_top(directory: Path) -> Path | None:
    """The nearest folder at or above `directory` that holds `.git`."""
    holders = (f for f in (directory, *directory.parents) if (f / ".git").exists())
    return next(holders, None)


def is_too_wide(folder: Path) -> bool:
    """Whether a folder cannot be taken for a project: it holds a user's whole home, or is `/tmp`.

    What everybody may write into, and nobody may clear, holds other people's files beside ours.
    """
    try:
        if folder.parent == folder or Path.home().is_relative_to(folder):
            return True
    except RuntimeError:
        return False
    return _is_everybodys(folder)


@cache
def _is_everybodys(folder: Path) -> bool:
    try:
        mode = folder.stat().st_mode
    except (OSError, ValueError):
        return False
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)


def _common(directories: Sequence[Path]) -> Path | None:
    """The folder that holds all of them; None when it is too wide to be one project."""
    try:
        common = Path(os.path.commonpath(directories))
    except ValueError:
        return None
    is_installed = common.name in _INSTALLED and common not in directories
    return None if is_installed or is_too_wide(common) else common
