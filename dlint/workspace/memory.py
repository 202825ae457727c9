"""Memory that is given back to the system, where the C library keeps what was freed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Let the system have what is free, as after a large parse; nothing where that is not known."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """`malloc_trim` of the C library of GNU."""
    if sys.platform != "linux":
        return None
    import ctypes

    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
