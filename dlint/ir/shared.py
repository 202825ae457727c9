"""Offsets that many nodes hold, each kept once.

A number is an object of its own for whoever computes it, and two stand in the span of each node: of
a large program they take more memory than what they tell the places of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.findings.places import Span
from dlint.ir.remembering import when_forgotten

_offsets: dict[int, int] = {}
when_forgotten(_offsets.clear)


def span(start: int, end: int) -> Span:
    """A span, of offsets that others hold too."""
    return _offsets.setdefault(start, start), _offsets.setdefault(end, end)


def spans(pairs: Iterable[list[int]], known: dict[Span, Span]) -> Iterator[Span]:
    """The same of many; those that are equal are one, also to those that are known."""
    keep = _offsets.setdefault
    found = [(keep(start, start), keep(end, end)) for start, end in pairs]
    return map(known.setdefault, found, found)
