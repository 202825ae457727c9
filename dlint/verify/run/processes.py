"""The processes of a run: found, and ended without leaving anything behind."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

_SHM = Path("/dev/shm")
_TIDY = ("resource_tracker", "torch_shm_manager")
"""Helpers that remove semaphores and shared memory when the others are gone: they go last."""
_GONE = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})
"""What only waits to be collected."""
_TERM = signal.SIGTERM
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no polite way: there both end a process at once."""
_HELPER_SECONDS = 10.0
_TERM_SECONDS = 2.0


class Family:
    """All processes that one run started, wherever they went.

    They share the session of the first one, or carry `token` in their environment: torchrun
    starts each rank in a session of its own. On Windows, which has no sessions, they carry it all.
    """

    def __init__(self, leader: int, token: str) -> None:
        self._leader = leader
        self._token = token
        self._started = time.time()
        self.seen: set[int] = {leader}
        """Every process that was ever found."""
        self._foreign: set[int] = set()

    def members(self, thorough: bool = True) -> list[int]:
        """The processes that live now; unless `thorough`, those that once were none of ours are
        not asked again, which a number given anew may make wrong."""
        pids = set(psutil.pids())
        asked = pids if thorough else pids - self._foreign
        found = [pid for pid in sorted(asked) if self._holds(pid)]
        self.seen.update(found)
        self._foreign = pids.difference(found)
        return found

    def _holds(self, pid: int) -> bool:
        with suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            if process.status() in _GONE:
                return False
            if pid in self.seen or _session(pid) == self._leader:
                return True
            return self._token in process.environ().values()
        return False

    def holds_python(self) -> bool:
        """Whether a Python runs, which is not so while a launcher waits for its turn."""
        return any(_program(pid).startswith("python") for pid in self.members())

    def end(self) -> None:
        """End what is left: politely, then at once; and take back its shared memory."""
        self._signal_workers(_TERM)
        self._await(_TERM_SECONDS, helpers=False)
        self._signal_workers(_KILL)
        self._await(_HELPER_SECONDS, helpers=True)
        for pid in self.members():
            _send(pid, _KILL)
        self._remove_shared_memory()

    def _signal_workers(self, number: int) -> None:
        for pid in self.members():
            if not _is_helper(pid):
                _send(pid, number)

    def _await(self, seconds: float, helpers: bool) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            left = self.members()
            if not left or (not helpers and all(map(_is_helper, left))):
                return
            time.sleep(0.02)

    def _remove_shared_memory(self) -> None:
        """Only files that torch named after a process of this run, and only newer ones."""
        if not _SHM.is_dir():
            return
        for path in _SHM.glob("torch_*"):
            _, _, rest = path.name.partition("_")
            pid = rest.partition("_")[0]
            with suppress(OSError):
                is_ours = pid.isdigit() and int(pid) in self.seen
                if is_ours and path.stat().st_ctime >= self._started - 1:
                    path.unlink()


def _session(pid: int) -> int | None:
    """The session of a process; None where there are none."""
    return os.getsid(pid) if hasattr(os, "getsid") else None


def _is_helper(pid: int) -> bool:
    return any(name in _command(pid) for name in _TIDY)


def _program(pid: int) -> str:
    return Path(_command(pid).partition("\0")[0]).name


def _command(pid: int) -> str:
    """The words of a process, a zero between them; empty when it is gone."""
    with suppress(psutil.Error, OSError):
        return "\0".join(psutil.Process(pid).cmdline())
    return ""


def _send(pid: int, number: int) -> None:
    with suppress(OSError):
        os.kill(pid, number)
