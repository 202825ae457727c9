"""Offsets that many nodes hold, each kept once.

A number is an object of its own for whoever computes it, and two stand in the span of each node: of
a large program they take more memory than what they tell the places of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint.findings.places import Span
from dlint.ir.remembering import when_forgotten

_offsets: dict[int, int] = {}
when_forgotten(_offsets.clear)


def span(start: int, end: int) -> Span:
    """A span, of offsets that others hold too."""
    return _offsets.setdefault(start, start), _offsets.setdefault(end, end)


def spans(pairs: Sequence[list[int]], known: dict[Span, Span]) -> Iterator[Span]:
    """The same of many; those that are equal are one, also to those that are known."""
    keep = _offsets.setdefault
    starts, ends = zip(*pairs, strict=True) if pairs else ((), ())
    found = [*zip(map(keep, starts, starts), map(keep, ends, ends), strict=True)]
    return map(known.setdefault, found, found)
