"""Where something stands: a file and a range of character offsets in its decoded text."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end, in characters of the decoded text (a byte order mark is not a character of it)."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A range of one file: `path` is absolute, offsets are as in `Span`."""

    path: str
    start: int
    end: int
