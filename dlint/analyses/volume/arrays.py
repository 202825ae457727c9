"""Arrays: how large a tensor, an array or an image is, and of what type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dlint.analyses.volume.ranges import Range, exactly, joined, product
from dlint.library_facts.array_sizes import ITEM_BYTES, PYTHON_TYPES

Dimension = Range | None

_KINDS = ("bool", "int", "float", "complex")


@dataclass(frozen=True, slots=True)
class Array:
    """One array: a dimension that is None is not known. Images are channels, height, width.

    `is_image`: an image that is no tensor yet, of which no batch can be made.
    """

    dims: tuple[Dimension, ...]
    dtype: str
    is_image: bool = False

    @property
    def items(self) -> Range | None:
        """How many numbers it holds."""
        return product(self.dims)

    @property
    def size(self) -> Range | None:
        """Its bytes."""
        items = self.items
        return None if items is None else items * exactly(ITEM_BYTES[self.dtype])

    @property
    def element(self) -> Array | None:
        """What one index takes out of it."""
        return replace(self, dims=self.dims[1:]) if self.dims else None

    def of_type(self, dtype: str | None) -> Array:
        """The same numbers in another type."""
        return self if dtype is None else replace(self, dtype=dtype)

    def reshaped(self, dims: Sequence[Dimension]) -> Array:
        """The same numbers in other dimensions; one of -1 is worked out."""
        free = [i for i, d in enumerate(dims) if d is not None and d.high < 0]
        if not free:
            return replace(self, dims=tuple(dims))
        others = product(d for i, d in enumerate(dims) if i not in free)
        items = self.items
        rest = None if items is None or others is None else items / others
        return replace(self, dims=tuple(rest if i in free else d for i, d in enumerate(dims)))


Arrays = tuple[Array, ...]
"""The leaves of a sample."""


def scalar(kind: str) -> Array | None:
    """What is made of one number of Python; None for anything else."""
    dtype = PYTHON_TYPES.get(kind)
    return None if dtype is None else Array((), dtype)


def either(one: Array, other: Array) -> Array | None:
    """An array that is one or the other; None where they differ in more than in size."""
    same = one.dtype == other.dtype and one.is_image is other.is_image
    if not same or len(one.dims) != len(other.dims):
        return None
    dims = tuple(joined(pair) for pair in zip(one.dims, other.dims, strict=True))
    return replace(one, dims=dims)


def one_of(found: Iterable[Arrays | None]) -> Arrays | None:
    """The leaves of one of several samples, as far as these are alike."""
    result: Arrays | None = None
    for arrays in found:
        if arrays is None or (result is not None and len(arrays) != len(result)):
            return None
        pairs = [(a, a) for a in arrays] if result is None else zip(result, arrays, strict=True)
        merged = [either(one, other) for one, other in pairs]
        known = tuple(one for one in merged if one is not None)
        if len(known) != len(merged):
            return None
        result = known
    return result


def combined(left: Array, right: Array) -> Array | None:
    """The result of arithmetic by each number; None where the sizes do not agree.

    Dimensions are aligned from the last one on, and one of 1 is repeated as often as the other has.
    """
    if not left.dims or not right.dims:
        return left if left.dims else right
    longer, shorter = (left, right) if len(left.dims) >= len(right.dims) else (right, left)
    more = len(longer.dims) - len(shorter.dims)
    pairs = list(zip(longer.dims[more:], shorter.dims, strict=True))
    if not all(_agree(*pair) for pair in pairs):
        return None
    dims = (*longer.dims[:more], *(_broadcast(*pair) for pair in pairs))
    return Array(dims, max(left.dtype, right.dtype, key=_rank))


def _rank(dtype: str) -> tuple[int, int]:
    """The place of a type among those of which arithmetic takes the greater one."""
    kind = next(i for i, word in enumerate(_KINDS) if word in dtype)
    return kind, ITEM_BYTES[dtype]


def _agree(one: Dimension, other: Dimension) -> bool:
    """Whether two dimensions may be the same, or one of them 1."""
    if one is None or other is None:
        return True
    return one.low <= 1 or other.low <= 1 or (one.low <= other.high and other.low <= one.high)


def _broadcast(one: Dimension, other: Dimension) -> Dimension:
    """The larger of two dimensions: the one that is certainly not 1, if one is."""
    if one == other:
        return one
    for number, beside in ((one, other), (other, one)):
        if number is not None and number.low > 1:
            return number
        if number is not None and number.is_exact and number.low == 1:
            return beside
    return None


def multiplied(left: Array, right: Array) -> Array | None:
    """What `left @ right` gives for a matrix on the right, or a vector."""
    if not left.dims or not 1 <= len(right.dims) <= 2:
        return None
    return replace(left, dims=(*left.dims[:-1], *right.dims[1:]))
