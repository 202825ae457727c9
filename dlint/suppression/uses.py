"""What is to be said of the comments of a file: plain data for the rules about them."""

from __future__ import annotations

from typing import NamedTuple

from dlint.findings.places import Place, Span


class UnusedNames(NamedTuple):
    """Names of a comment that suppress nothing; `removed` becomes `replacement` without them."""

    place: Place
    names: tuple[str, ...]
    whole_file: bool
    removed: Span
    replacement: str
