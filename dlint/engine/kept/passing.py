"""What is kept of texts that an editor has open, between the checks of its process."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dlint.ir.unchanged import Read

Json = Any
_PARTS = 8
"""Parts of which answers are kept."""
_TEXTS = 4
"""Answers about one part, the newest: what is typed is often taken back."""


class Entry(NamedTuple):
    """An answer, with what was asked for it."""

    inputs: Json
    answer: Json
    looked: Json
    read: Mapping[str, Read]
    """The indexes of open texts, by path, as nobody has read them."""


class Passing:
    """The answers about some parts of some projects."""

    def __init__(self) -> None:
        self._parts: OrderedDict[str, deque[Entry]] = OrderedDict()

    def of(self, part: str) -> deque[Entry]:
        """The answers about a part, the newest first."""
        found = self._parts.setdefault(part, deque(maxlen=_TEXTS))
        self._parts.move_to_end(part)
        while len(self._parts) > _PARTS:
            self._parts.popitem(last=False)
        return found
