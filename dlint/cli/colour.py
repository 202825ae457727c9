"""Whether to write colours and links to a stream."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple, TextIO

_STDOUT, _STDERR, _ESCAPES = -11, -12, 4
"""As Windows numbers its streams and modes."""
CHOICES = ("auto", "always", "never")


class Screen(NamedTuple):
    """What a report may make use of where it is shown."""

    colour: bool
    links: bool
    width: int | None
    """Columns of the terminal; None where there is none."""


def wanted(choice: str, stream: TextIO) -> bool:
    """What `choice` says; for `auto` the environment (`NO_COLOR` first), then the terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return _is_able(stream)


def wants_links(choice: str, stream: TextIO) -> bool:
    """Whether hyperlinks are of use: where there are colours, but never in a pipe or a file."""
    return wanted(choice, stream) and _is_able(stream)


def width(stream: TextIO) -> int | None:
    """The columns of a terminal, by `COLUMNS` if that is set; None for anything else."""
    if not stream.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _is_able(stream: TextIO) -> bool:
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or _takes_escapes(stream)


def _takes_escapes(stream: TextIO) -> bool:
    """Ask a console of Windows to read escapes; older ones do not."""
    import ctypes

    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009
    handle = kernel.GetStdHandle(_STDERR if stream is sys.stderr else _STDOUT)
    mode = ctypes.c_ulong()
    if not kernel.GetConsoleMode(handle, ctypes.byref(mode)):
        return False
    return bool(kernel.SetConsoleMode(handle, mode.value | _ESCAPES))
