"""What `verify` cannot do on this system, said before anything is measured."""

from __future__ import annotations

import sys

_MEMORY = "memory is what each process has for itself; what they share is not counted"
_ENDED = "what a run starts is ended at once, and found by its environment: what drops that goes on"
_LIMITS = {
    "darwin": (f"on macOS {_MEMORY}",),
    "win32": (
        f"on Windows {_MEMORY}",
        f"on Windows {_ENDED}",
    ),
}


def limits() -> list[str]:
    """In words; nothing on Linux."""
    return list(_LIMITS.get(sys.platform, ()))
