"""Pictures that a library's data set reads: whether their transform leaves them images, or unequal.

Question: what do the samples of a torchvision data set hold once its transform has run? Followed
are transforms that are written out, one behind the other; one that is not torchvision's, or that
the tables do not know, leaves the answer unknown.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.library_facts import collation as known
from dlint.library_facts.torchvision import Effect, TransformFacts, transform_facts
from dlint.model.samples.composed import listed
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext


_LEADING = 2
"""So many arguments no data set takes a transform before, but those whose place is known."""


class Pictures(StrEnum):
    """What pictures are when they come to the collate function."""

    IMAGES = "images of PIL, of which no batch can be made"
    UNEQUAL = "tensors of different height and width"
    SCALED = "tensors whose shorter side is the same, not the longer one"
    EQUAL = "tensors of one size"


def pictures(context: AnalysisContext, dataset: Value) -> Pictures | None:
    """What the pictures of a torchvision data set are; None where that is not known."""
    if not is_of_library(dataset):
        return None
    passed = context.solver.passed.get(dataset)
    if (
        library_path(dataset) not in known.PICTURES
        or passed is None
        or _is_changed(context, dataset)
    ):
        return None
    names = {argument.keyword for argument, _ in passed.arguments}
    stars = any(argument.star for argument, _ in passed.arguments)
    position = _position(library_path(dataset))
    if (
        stars
        or names & known.OTHER_PICTURES
        or (position is None and passed.at(_LEADING) is not None)
    ):
        return None
    given = argument_for(passed, position, "transform").expression
    if given is not None and not _is_decided(context, *given):
        return None
    transforms = {NONE} if given is None else context.solver.values(*given)
    found = {_after(context, value) for value in transforms}
    return found.pop() if len(found) == 1 else None


def _position(path: str) -> int | None:
    """Where the transform stands among the arguments by position; None where that differs."""
    return known.TRANSFORM_POSITIONS.get(path.rpartition(".")[2])


def _is_decided(context: AnalysisContext, transform: ex.Expression, frame: CallContext) -> bool:
    """Whether no way rests on the default of a function that no call leaves to it: whoever calls
    that from elsewhere, a notebook say, gives a transform."""
    return all(a.holds_in_calls for a in context.evaluator.of(transform, frame) if a.is_none)


def _is_changed(context: AnalysisContext, dataset: AllocationSite) -> bool:
    """Whether code gives the data set another transform later, or may."""
    for store in context.project.writing("transform"):
        if attributes.written_on_self(store) is not None:
            continue
        values = context.values(store.target.value, store.scope)
        near = store.scope.module is dataset.call.scope.module
        if dataset in values or (near and (not values or UNKNOWN in values)):
            return True
    return False


def _after(context: AnalysisContext, transform: Value) -> Pictures | None:
    """What a transform makes of pictures of different sizes."""
    state = Pictures.UNEQUAL
    is_image = True
    for value in [] if transform == NONE else listed(context, transform):
        facts = _facts(value)
        if facts is None:
            return None
        is_image = is_image and facts.effect not in known.MAKES_TENSOR
        if facts.effect is Effect.CROP or _is_exact(context, facts, value):
            state = Pictures.EQUAL
        elif facts.effect is Effect.RESIZE and state is Pictures.UNEQUAL:
            state = Pictures.SCALED
        elif facts.effect not in known.KEEPS_SIZE | {Effect.RESIZE}:
            return None
    return Pictures.IMAGES if is_image else state


def _facts(value: Value) -> TransformFacts | None:
    if is_of_library(value):
        return transform_facts(library_path(value))
    return None


def _is_exact(context: AnalysisContext, facts: TransformFacts, value: Value) -> bool:
    """Whether a transform scales to a height and a width, or may: only one number does not."""
    if facts.effect is not Effect.RESIZE or not isinstance(value, AllocationSite):
        return False
    passed = context.solver.passed.get(value)
    given = None if passed is None else argument_for(passed, 0, "size").expression
    return given is None or not _is_number(context, *given)


def _is_number(context: AnalysisContext, size: ex.Expression, frame: CallContext) -> bool:
    """Whether a size is certainly one number, not a pair."""
    found = [a.value for a in context.evaluator.of(size, frame)]
    numbers = [getattr(value, "value", None) for value in found]
    return bool(numbers) and all(isinstance(number, int) for number in numbers)
