"""A throw-away working directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def linked(cwd: Path, target: Path, added: Iterable[Path] = ()) -> Path:
    """A folder with a link to each entry of `cwd`: what is there can be read by relative paths,
    and new files stay in the folder. What is written *into* a linked folder is not kept out.

    Files that a variant adds to `cwd` have links that lead nowhere, by which they are known.
    """
    target.mkdir(parents=True)
    for entry in (*cwd.iterdir(), *(path for path in added if path.parent == cwd)):
        (target / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
    return target
