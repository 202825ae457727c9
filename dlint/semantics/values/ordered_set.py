"""A set that is walked in the order in which it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Self, TypeVar

T = TypeVar("T")
S = TypeVar("S")


class OrderedSet(frozenset[T]):
    """A frozenset whose order is that of its making.

    Values and places compare by identity and are hashed by their address, so the order of a plain
    set of them differs from run to run. Whatever is shown to a user must not rest on that.
    """

    __slots__ = ("_order",)
    _order: dict[T, None]

    def __new__(cls, items: Iterable[T] = ()) -> Self:
        order = dict.fromkeys(items)
        made = super().__new__(cls, order)
        made._order = order
        return made

    __eq__ = frozenset.__eq__
    __hash__ = frozenset.__hash__

    def __iter__(self) -> Iterator[T]:
        return iter(self._order)

    def __or__(self, other: AbstractSet[S]) -> OrderedSet[T | S]:
        return OrderedSet((*self, *other))

    def __sub__(self, other: AbstractSet[object]) -> OrderedSet[T]:
        return OrderedSet(item for item in self if item not in other)

    def with_one(self, item: T) -> OrderedSet[T]:
        """This set and one more, behind the others."""
        return OrderedSet((*self._order, item))
