"""Edits of text, and what may be asked of several of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Put `text` in place of the characters `start` to `end` of the file at `path`."""

    path: str
    start: int
    end: int
    text: str


def merged(edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """The edits in order, equal ones once; None when two of them claim the same characters.

    Two different insertions at one offset claim it both: nothing says which comes first.
    """
    ordered = sorted(set(edits))
    for first, second in pairwise(ordered):
        if first.path == second.path and _clash(first, second):
            return None
    return tuple(ordered)


def _clash(first: Edit, second: Edit) -> bool:
    insertions = first.start == first.end == second.start == second.end
    return insertions or second.start < first.end


def all_or_none(found: Iterable[Edit | None]) -> list[Edit] | None:
    """The edits, if none of them is missing."""
    edits: list[Edit] = []
    for edit in found:
        if edit is None:
            return None
        edits.append(edit)
    return edits


def touch(first: Edit, second: Edit) -> bool:
    """Whether two edits of one file overlap or stand side by side."""
    return first.path == second.path and first.start <= second.end and second.start <= first.end


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with the edits of one file applied. Raises ValueError when they overlap."""
    ordered = merged(edits)
    if ordered is None:
        raise ValueError("the edits overlap")
    pieces: list[str] = []
    position = 0
    for edit in ordered:
        pieces += text[position : edit.start], edit.text
        position = edit.end
    return "".join([*pieces, text[position:]])


def moved_offset(path: str, offset: int, edits: Iterable[Edit]) -> int:
    """Where the character at `offset` of the file at `path` stands once `edits` are applied."""
    before = (e for e in edits if e.path == path and e.end <= offset)
    return offset + sum(len(e.text) - (e.end - e.start) for e in before)
