"""`dlint clean`: removes what dlint keeps between runs, and nothing else."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from dlint.engine.kept.storage import storage_at
from dlint.findings.controls import in_one_line, visible
from dlint.findings.words import counted
from dlint.workspace.cache_folder import clear, user_cache
from dlint.workspace.discover import absolute
from dlint.workspace.errors import UsageError
from dlint.workspace.roots import project_roots
from dlint.workspace.settings import Configuration
from dlint.workspace.walk import CACHE, SKIPPED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint clean`."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        default=["."],
        help="directories in and below which caches are, and whose projects' are removed too "
        "(default: .)",
    )
    parser.add_argument("--cache-dir", metavar="PATH", help="a cache that is elsewhere")


def run(namespace: argparse.Namespace) -> int:
    """Remove the caches, and say which. Returns 0. Raises UsageError for one that cannot be."""
    folders = [absolute(path) for path in namespace.paths]
    missing = [str(folder) for folder in folders if not folder.is_dir()]
    if missing:
        raise UsageError("\n".join(f"no such directory: {folder}" for folder in missing))
    named = [] if namespace.cache_dir is None else [absolute(namespace.cache_dir)]
    below = [*_below(folders)]
    is_any = False
    for cache in dict.fromkeys([*named, *_of_projects(folders), *below]):
        is_any |= _remove(cache)
    for root in {*project_roots(folders).values(), *(cache.parent for cache in below)}:
        is_any |= _forget(root)
    if not is_any:
        sys.stdout.write("There is no cache.\n")
    return 0


def _remove(cache: Path) -> bool:
    """Whether there was something to remove."""
    try:
        removed = clear(cache)
    except OSError as error:
        raise UsageError(f"cannot remove {cache}: {error.strerror or error}") from error
    if removed:
        rest = ", but not what others put there" if cache.exists() else ""
        text = f"Removed {cache}: {counted(removed, 'file')}{rest}"
        sys.stdout.write(f"{visible(in_one_line(text))}\n")
    return removed > 0


def _forget(root: Path) -> bool:
    """Whether there were findings of a project that were kept, which are removed."""
    top = user_cache()
    path = None if top is None else storage_at(top, root)
    if path is None or not path.is_file():
        return False
    try:
        path.unlink()
    except OSError as error:
        raise UsageError(f"cannot remove {path}: {error.strerror or error}") from error
    sys.stdout.write(f"{visible(in_one_line(f'Removed what was found in {root}: {path}'))}\n")
    return True


def _of_projects(folders: Iterable[Path]) -> Iterator[Path]:
    """The caches of the projects that folders belong to."""
    configuration = Configuration()
    for folder, root in project_roots(folders, configuration.is_root).items():
        yield root / CACHE
        settings = configuration.governing(folder)
        if settings.cache_dir is not None:
            yield settings.cache_dir


def _below(folders: Iterable[Path]) -> Iterator[Path]:
    for top in folders:
        for folder, inner, _ in os.walk(top):
            if CACHE in inner:
                yield Path(folder, CACHE)
            inner[:] = (name for name in inner if name not in SKIPPED)
