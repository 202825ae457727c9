"""What `torch.compile` makes of a program, kept for all runs of it in one throw-away folder."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MOST = 512 << 20
"""Bytes of the user's own cache above which it is not copied."""


def seed(folder: Path) -> None:
    """Fill a folder with what the user's runs compiled before: with none of it, the first run would
    compile everything anew. Where they named a folder of their own, that one is used, and this one
    stays empty."""
    own = _usual()
    if "TORCHINDUCTOR_CACHE_DIR" in os.environ or own is None or not own.is_dir():
        return
    if sum(size for _, size in _files(own)) <= _MOST:
        with suppress(OSError, shutil.Error):
            shutil.copytree(own, folder, symlinks=True)


def newest(folder: Path | None) -> float | None:
    """When the latest file was written there, in seconds since the epoch; None without any."""
    return max((moment for moment, _ in _files(folder)), default=None) if folder else None


def _usual() -> Path | None:
    """Where torch keeps it: `default_cache_dir` of torch/_inductor/runtime/cache_dir_utils.py."""
    with suppress(OSError, KeyError, ImportError):
        user = re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser())
        return Path(tempfile.gettempdir()) / f"torchinductor_{user}"
    return None


def _files(folder: Path) -> Iterator[tuple[float, int]]:
    """When each file was written, and its bytes; other programs may remove some meanwhile."""
    for path in folder.rglob("*"):
        with suppress(OSError):
            facts = path.lstat()
            yield facts.st_mtime, facts.st_size
