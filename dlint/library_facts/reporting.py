"""What prints and logs, and does nothing else (CPython 3.11)."""

from __future__ import annotations

_FUNCTIONS = frozenset({"builtins.print", "builtins.str", "builtins.repr", "warnings.warn"})
_LIBRARIES = ("logging.", "loguru.logger.", "traceback.print_", "traceback.format_")


def tells(path: str) -> bool:
    """Whether a library callable tells somebody something, and comes back."""
    return path in _FUNCTIONS or path.startswith(_LIBRARIES)
