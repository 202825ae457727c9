"""One process at a time: a lock that its holder cannot leave behind, whatever ends it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PAUSE = 0.05


@contextmanager
def locked(file: Path, patience: float) -> Iterator[None]:
    """Hold the lock of a file, which is made. Waits up to `patience` seconds.

    Raises TimeoutError when another process holds it for longer, and OSError where the file cannot
    be made or its file system knows no locks.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        end = time.monotonic() + patience
        while not _is_taken(handle):
            if time.monotonic() > end:
                raise TimeoutError(f"another process has held {file} for {patience:g} seconds")
            time.sleep(_PAUSE)
        yield
    finally:
        with suppress(OSError):  # nothing was written to it
            os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _is_taken(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _is_taken(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
