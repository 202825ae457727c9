"""What ends a verification."""

from __future__ import annotations


class UnmeasurableError(Exception):
    """Nothing could be measured (exit code 4); the message says why."""
