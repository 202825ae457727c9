"""Where a generator's choices come from: a seed, or hypothesis, which can make a case smaller."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(Protocol):
    """The choices of one case; the first of several is the plainest."""

    def one_of(self, options: Sequence[T]) -> T: ...

    def number(self, low: int, high: int) -> int: ...


class Seeded:
    """The choices of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one_of(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class Drawn:
    """The choices that hypothesis makes."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def one_of(self, options: Sequence[T]) -> T:
        return self._data.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))


def some(choices: Choices, options: Sequence[T], most: int) -> list[T]:
    """Up to `most` of the options, none twice, in their order."""
    wanted = {choices.number(0, len(options) - 1) for _ in range(choices.number(0, most))}
    return [option for index, option in enumerate(options) if index in wanted]
