"""Images: what a transform of torchvision makes of one, as far as sizes and types go.

Question: given the size of an image, how large is what a transform object gives? Followed are
compositions as they are written out, with one or more possible transforms in each place. A size
that is one number scales the shorter side, so the other is not known unless the image is a square.
Given up on are transforms of the project, lambdas, and lists that are put together elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.volume.arrays import Array, either
from dlint.analyses.volume.ranges import Range, exactly
from dlint.ir import expressions as ex
from dlint.library_facts.array_sizes import DTYPE_NAMES
from dlint.library_facts.torchvision import Effect, TransformFacts, transform_facts
from dlint.semantics.values.values import (
    AllocationSite,
    Container,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.solver import Solver

_CHANNELS, _PLANE = 1, 2
Number = Callable[[ex.Expression, "CallContext"], Range | None]
"""How many an expression denotes."""


class Transforms:
    """Applies transforms to the sizes of images."""

    def __init__(self, solver: Solver, number: Number) -> None:
        self._solver = solver
        self._number = number

    def any_of(self, values: frozenset[Value], image: Array) -> Array | None:
        """What one of several transforms makes of an image; None where one is not known."""
        result: Array | None = None
        for value in values:
            made = self.applied(value, image)
            result = made if result is None or made is None else either(result, made)
            if result is None:
                return None
        return result

    def is_known(self, value: Value) -> bool:
        """Whether a value is a transform of the library."""
        return _facts(value) is not None

    def applied(self, value: Value, image: Array) -> Array | None:
        """What one transform makes of an image; None where that is not known."""
        facts = _facts(value)
        if facts is None or not isinstance(value, AllocationSite):
            return None
        passed = self._solver.passed.get(value)
        if passed is None or (facts.growing and passed.keyword(facts.growing) is not None):
            return None
        given = passed.written(facts.parameters, facts.parameters[0]) if facts.parameters else None
        if facts.effect is Effect.ALL:
            return None if given is None else self._each(*given, image)
        return self._changed(facts, image, given)

    def _each(self, items: ex.Expression, frame: CallContext, image: Array) -> Array | None:
        """What the transforms of a list make of an image, one after the other."""
        found = self._solver.values(items, frame)
        container = next(iter(found), None)
        if len(found) != 1 or not isinstance(container, Container):
            return None
        if not isinstance(container.origin, ex.Sequence):
            return None
        result: Array | None = image
        for item in container.origin.items:
            values = self._solver.values(item, container.frame)
            result = None if result is None or not values else self.any_of(values, result)
        return result

    def _changed(
        self, facts: TransformFacts, image: Array, given: tuple[ex.Expression, CallContext] | None
    ) -> Array | None:
        match facts.effect:
            case Effect.NOTHING:
                return image
            case Effect.TENSOR:
                return replace(image, dtype="float32", is_image=False)
            case Effect.BYTES:
                return replace(image, is_image=False)
            case Effect.IMAGE:
                return replace(image, is_image=True)
            case Effect.CONVERT:
                dtype = None if given is None else dtype_name(given[0])
                return None if dtype is None else image.of_type(dtype)
            case Effect.GRAY:
                number = exactly(facts.default or 1) if given is None else self._number(*given)
                return _with_channels(image, number)
        sides = None if given is None else self._sides(*given)
        if sides is None:
            return None
        return _resized(facts.effect, image, sides)

    def _sides(
        self, size: ex.Expression, frame: CallContext
    ) -> tuple[Range | None, Range | None, bool] | None:
        """The height and the width that a size asks for, and whether they were given apart."""
        while isinstance(size, ex.Reference) and size.definition is not None:
            size = size.definition.value
        if isinstance(size, ex.Sequence):
            numbers = [self._number(item, frame) for item in size.items]
            if len(numbers) == _CHANNELS:
                return numbers[0], numbers[0], False
            return (numbers[0], numbers[1], True) if len(numbers) == _PLANE else None
        number = self._number(size, frame)
        return None if number is None else (number, number, False)


def dtype_name(expression: ex.Expression) -> str | None:
    """The type that an expression names: `torch.float32`, `np.uint8`, `"float32"`."""
    if isinstance(expression, ex.Constant):
        return DTYPE_NAMES.get(str(expression.value))
    if isinstance(expression, ex.Attribute | ex.Reference):
        return DTYPE_NAMES.get(expression.own_name)
    return None


def _facts(value: Value) -> TransformFacts | None:
    return transform_facts(library_path(value))


def _with_channels(image: Array, number: Range | None) -> Array:
    return replace(image, dims=(number, *image.dims[_CHANNELS:]))


def _resized(
    effect: Effect, image: Array, sides: tuple[Range | None, Range | None, bool]
) -> Array | None:
    """An image that is scaled, cut or given a border."""
    height, width, both = sides
    old, sized = image.dims[-_PLANE:], (height, width)
    if effect is Effect.PAD:
        if both or height is None:
            return None
        border = height * exactly(2)
        sized = (_widened(old[0], border), _widened(old[1], border))
    elif effect is Effect.RESIZE and not both and (old[0] is None or old[0] != old[1]):
        sized = (None, None)
    return replace(image, dims=(*image.dims[:-_PLANE], *sized))


def _widened(side: Range | None, border: Range) -> Range | None:
    return None if side is None else side + border
