"""A terminal for scripts that ask for one, at which nobody sits."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from contextlib import suppress

_ASKS = re.compile(r"Inappropriate ioctl for device|not a (tty|terminal)|not a typewriter", re.I)
_ROWS_AND_COLUMNS = struct.pack("HHHH", 24, 80, 0, 0)
_END = b"\x04"
"""What is typed to end the input: who reads it gets nothing, instead of waiting for ever."""


def is_asked_for(stderr: str) -> bool:
    """Whether a program that failed asked its standard input for what only a terminal has, as
    `stty size` does."""
    return _ASKS.search(stderr) is not None


class Terminal:
    """The standard input of a run: a terminal, or nothing."""

    def __init__(self, real: bool) -> None:
        self.stdin: int = subprocess.DEVNULL
        self._ours: int | None = None
        if real and sys.platform != "win32":
            import pty

            self._ours, self.stdin = pty.openpty()
            _set_size(self.stdin)
            os.write(self._ours, _END)

    def started(self) -> None:
        """The run has it: its end is no longer needed here."""
        if self._ours is not None:
            os.close(self.stdin)

    def close(self) -> None:
        """The run is over."""
        if self._ours is not None:
            with suppress(OSError):
                os.close(self._ours)


def _set_size(terminal: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, _ROWS_AND_COLUMNS)
