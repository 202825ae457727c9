"""A scratch folder with an attendant: a process that cleans up should dlint itself be killed."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TextIO

import dlint
from dlint.verify.run.interrupts import INTERRUPTS
from dlint.verify.run.processes import Family
from dlint.verify.run.view.removal import remove

_WAIT = 30.0
_TRIES, _PAUSE = 50, 0.2
"""What is ended may still write for a moment."""
_LONGEST = 36
"""Characters of the folder above: programs make sockets deep in the scratch folder, whose paths
may not be longer than 107."""
_PACKAGES = Path(dlint.__file__).resolve().parent.parent


class Guard:
    """Holds the scratch folder of a verification, and is told which runs live.

    The attendant reads a pipe. When that closes, dlint is gone: what then still runs is ended, and
    the folder is removed. It is there before the folder is, so that no moment leaves one behind.
    """

    def __enter__(self) -> Guard:
        with INTERRUPTS.held():
            self.folder = Path(_above()).resolve() / f"dlint-{secrets.token_hex(4)}"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "dlint.verify.run.guard", str(self.folder)],
                stdin=subprocess.PIPE,
                cwd="/",
                env={**os.environ, "PYTHONPATH": str(_PACKAGES)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                text=True,
            )
            self.folder.mkdir(0o700)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with INTERRUPTS.held():
            remove(self.folder)
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_WAIT)

    def began(self, leader: int, token: str) -> None:
        """A run lives."""
        self._tell(f"+ {leader} {token}")

    def ended(self, leader: int) -> None:
        """It is gone, and all that it started."""
        self._tell(f"- {leader}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()


def _above() -> str:
    """The usual folder of temporary files, unless its path is too long for sockets."""
    usual, short = tempfile.gettempdir(), "/tmp"
    return short if len(usual) > _LONGEST and os.access(short, os.W_OK) else usual


def attend(folder: str, lines: TextIO) -> None:
    """Wait for the end of `lines`, and clean up."""
    living: dict[int, str] = {}
    for line in lines:
        mark, leader, *token = line.split(maxsplit=2)
        if mark == "+":
            living[int(leader)] = token[0].strip()
        else:
            living.pop(int(leader), None)
    for number, name in living.items():
        Family(number, name).end()
    for _ in range(_TRIES):
        remove(Path(folder))
        if not Path(folder).exists():
            return
        time.sleep(_PAUSE)


if __name__ == "__main__":
    attend(sys.argv[1], sys.stdin)
