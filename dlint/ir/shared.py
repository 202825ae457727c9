"""Offsets that many nodes hold, each kept once.

A number is an object of its own for whoever computes it, and two stand in the span of each node: of
a large program they take more memory than what they tell the places of.
"""

from __future__ import annotations

from collections.abc import Sequence

from dlint.findings.places import Span
from dlint.ir.remembering import when_forgotten

_offsets: dict[int, int] = {}
when_forgotten(_offsets.clear)


def span(start: int, end: int) -> Span:
    """A span, of offsets that others hold too."""
    return _offsets.setdefault(start, start), _offsets.setdefault(end, end)


def spans(offsets: Sequence[int]) -> list[Span]:
    """The same of many, whose starts and ends stand in turns. Raises ValueError if one has none."""
    shared = map(_offsets.setdefault, offsets, offsets)
    return list(zip(shared, shared, strict=True))
