"""Where something stands: a file and a range of character offsets in its decoded text."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int]
"""Start and end, in characters of the decoded text (a byte order mark is not a character of it)."""


class Place(NamedTuple):
    """A range of one file: `path` is absolute, offsets are as in `Span`."""

    path: str
    start: int
    end: int
