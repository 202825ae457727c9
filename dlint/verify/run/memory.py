"""The memory of a family of processes, with the batches that wait between them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

_PROC = Path("/proc")
_SHM = "/dev/shm/torch_"
"""The beginning of the paths of tensors; data of the program may lie there, too."""
_BLOCK = 512


class Size(NamedTuple):
    """The memory of a process at one moment, in bytes."""

    when: float
    """Seconds since the start of the run."""
    private: int
    """What nothing else shares."""
    proportional: int
    """The same with its part of what is shared (PSS); elsewhere than on Linux nobody counts that,
    and it is what is private."""


class Memory:
    """The most memory that a family used, by samples; in bytes."""

    def __init__(self) -> None:
        self.peak_total = 0
        """Proportional set sizes, summed over the processes at one moment, and shared memory that
        waits."""
        self.peak_private: dict[int, int] = {}
        """By process: what nothing else shares."""
        self.sizes: dict[int, list[Size]] = {}
        """By process, at each moment at which it was there."""
        self.trace: list[tuple[float, int]] = []
        """Seconds since the start, and the total."""

    def sample(self, pids: Iterable[int], now: float) -> None:
        """Look at these processes."""
        pids = list(pids)
        total = _waiting(pids)
        for pid in pids:
            proportional, private = _sizes(pid)
            total += proportional
            self.peak_private[pid] = max(private, self.peak_private.get(pid, 0))
            if private:
                size = Size(round(now, 3), private, proportional)
                self.sizes.setdefault(pid, []).append(size)
        self.peak_total = max(self.peak_total, total)
        self.trace.append((round(now, 3), total))


def _sizes(pid: int) -> tuple[int, int]:
    """Proportional and private bytes of a process; zero when it is gone.

    Only Linux counts what processes share in parts: elsewhere both are the private ones.
    """
    with suppress(psutil.Error, OSError):
        found = psutil.Process(pid).memory_full_info()
        return getattr(found, "pss", found.uss), found.uss
    return 0, 0


def _waiting(pids: Iterable[int]) -> int:
    """Bytes of shared memory that no process has mapped. A batch in the queue of a loader is such:
    the worker that made it keeps the file open, or its name, and no more."""
    held: dict[int, int] = {}
    mapped: set[int] = set()
    for pid in pids:
        held |= _opened(pid) | _named(pid)
        mapped |= _mapped(pid)
    return sum(size for inode, size in held.items() if inode not in mapped)


def _opened(pid: int) -> dict[int, int]:
    """The files of shared memory that a process has open: bytes by inode."""
    found: dict[int, int] = {}
    with suppress(OSError):
        for path in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                if str(path.readlink()).startswith(_SHM):
                    found |= _size(path)
    return found


def _named(pid: int) -> dict[int, int]:
    """Those that torch named after a process."""
    found: dict[int, int] = {}
    for path in Path(_SHM).parent.glob(f"torch_{pid}_*"):
        with suppress(OSError):
            found |= _size(path)
    return found


def _size(path: Path) -> dict[int, int]:
    status = path.stat()
    return {status.st_ino: status.st_blocks * _BLOCK}


def _mapped(pid: int) -> set[int]:
    """Inodes of shared memory in the address space of a process."""
    try:
        rows = (_PROC / str(pid) / "maps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return set()
    return {int(row.split(maxsplit=5)[4]) for row in rows if _SHM in row}
