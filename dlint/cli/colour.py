"""Whether to write colours and links to a stream."""

from __future__ import annotations

import os
from typing import TextIO

CHOICES = ("auto", "always", "never")


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


def _is_able(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"
