"""What a program takes gradients of: the calls that make losses, and what these are made of.

Questions: which calls make what a gradient is taken of, and which part of their result is it; and
does a program take the gradient of what such a call makes, anywhere. Followed: names, choices,
sums, multiples, means, and parts of results, within the function that takes the gradient. Two calls
are one kind if all that the one may call is what the other calls; where that is not known, if both
call the same attribute of objects of one class, or what one function hands to both. Given up on:
losses that a function returns whose caller takes the gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import calls_anywhere, certainly_calls, library_callees
from dlint.analyses.result_parts import result_items
from dlint.analyses.value_parts import (
    alternatives_of,
    origin_of,
    origin_over_calls,
    parts_in_function,
)
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.gradients import (
    CUTTING,
    KEEPING_FUNCTIONS,
    KEEPING_METHODS,
    WITHOUT_GRAPH,
)
from dlint.model.loops.batch_loops import GRADIENT_STEPS
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import UNKNOWN

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_SUMS = frozenset({"+", "-", "*", "/"})
SCALING = frozenset({"*", "/"})
SCALERS = {"scale": "outputs", "scale_loss": "loss"}
"""What multiplies a loss by a number, and as which parameter it takes it."""
_LAST_NAMES = frozenset(path.rpartition(".")[2] for path in KEEPING_FUNCTIONS)
_NUMBERS = frozenset({"builtins.len", "builtins.int", "builtins.float"})
_REDUCING = frozenset({"mean", "sum", "all", "any"})
_MOST = 100


class Recipe(NamedTuple):
    """A call, and which part of its result a tensor is: attributes, keys and positions."""

    call: ex.Call
    part: tuple[object, ...] = ()


Kind = tuple[object, tuple[object, ...]]
"""What may be called, and the part of its result."""


def sources_of(step: ex.Call) -> list[ex.Expression]:
    """What a call of `backward` and its like takes the gradient of, as it is written."""
    if not isinstance(step.function, ex.Attribute):
        return []
    given = written(step, 0, "tensors")
    return [step.function.value] if given is None else [given, step.function.value]


def terms_of(context: AnalysisContext, tensor: ex.Expression) -> Iterator[Recipe]:
    """The calls that make a tensor, its terms and its factors, over all choices."""
    waiting: list[tuple[ex.Expression, tuple[object, ...]]] = [(tensor, ())]
    seen = set[ex.Expression]()
    while waiting and len(seen) < _MOST:
        expression, part = waiting.pop()
        for origin in alternatives_of(expression):
            if origin in seen:
                continue
            seen.add(origin)
            further = list(_inside(context, origin))
            waiting += [(inner, (*more, *part)) for inner, more in further]
            if isinstance(origin, ex.Call) and not further:
                yield Recipe(origin, part)


def _inside(
    context: AnalysisContext, origin: ex.Expression
) -> Iterator[tuple[ex.Expression, tuple[object, ...]]]:
    """What a tensor is made of by sums and views, and which part of it is taken."""
    match origin:
        case ex.Binary() if origin.operator in _SUMS:
            yield origin.left, ()
            yield origin.right, ()
        case ex.Entered():
            yield origin.value, ()
        case ex.Item() if not origin.starred:
            yield origin.value, (origin.position,)
        case ex.Attribute() if origin.name not in WITHOUT_GRAPH:
            yield origin.value, (origin.name,)
        case ex.Subscript() if isinstance(origin.index, ex.Constant):
            yield origin.value, (origin.index.value,)
        case ex.Call():
            handed = kept_operand(context, origin)
            yield from ((handed, ()),) if handed is not None else ()


def kept_operand(context: AnalysisContext, call: ex.Call) -> ex.Expression | None:
    """The tensor whose graph the result of an operation holds: `x` of `x.cpu()`, `torch.exp(x)`.

    Also of `x.to("cpu")`, and of what scales a loss. None for any other call.
    """
    callee, name = call.function, call.name or ""
    if name in SCALERS:
        return written(call, 0, SCALERS[name])
    found = library_callees(context, call) if name in _LAST_NAMES else ()
    if found and KEEPING_FUNCTIONS.issuperset(found):
        return written(call, 0, "input")
    if not isinstance(callee, ex.Attribute):
        return None
    to_device = name == "to" and isinstance(written(call, 0, "device"), ex.Constant)
    return callee.value if name in KEEPING_METHODS or to_device else None


def is_without_graph(context: AnalysisContext, made: Recipe) -> bool:
    """Whether a function of the project gives a number, or something cut off, as that part."""
    position = made.part[0] if made.part else None
    if not isinstance(position, int):
        return False
    given = [items for scope in callees_of(context, made.call) for items in result_items(scope)]
    if not all(-len(items) <= position < len(items) for items in given):
        return True  # of what is not returned nothing is known
    return any(_is_without_graph(context, origin_of(items[position])) for items in given)


def _is_without_graph(context: AnalysisContext, part: ex.Expression) -> bool:
    """Whether it is a number, cut off, or made of a comparison, of which nothing has a gradient."""
    while isinstance(part, ex.Call) and isinstance(part.function, ex.Attribute):
        if part.name in CUTTING:
            return True
        if part.arguments and part.name not in _REDUCING:
            break
        part = origin_of(part.function.value)
    if isinstance(part, ex.Call):
        return part.name in CUTTING or certainly_calls(context, part, _NUMBERS)
    return isinstance(part, ex.Constant | ex.Comparison)


def is_of_trained_kind(context: AnalysisContext, made: Recipe) -> bool:
    """Whether the program takes the gradient of what the same callee makes, here or elsewhere."""
    kinds = list(_kinds(context, made))
    return bool(kinds) and context[_trained_kinds].issuperset(kinds)


def is_trained_callee(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether what the same callee makes has a part in something that a gradient is taken of."""
    kinds = list(_kinds(context, Recipe(call)))
    return bool(kinds) and context[_kinds_inside].issuperset(kinds)


def _trained_kinds(context: AnalysisContext) -> frozenset[Kind]:
    made = (term for source in _all_sources(context) for term in terms_of(context, source))
    return frozenset(kind for term in made for kind in _kinds(context, term))


def _kinds_inside(context: AnalysisContext) -> frozenset[Kind]:
    parts = (part for source in _all_sources(context) for part in parts_in_function(source))
    calls = (Recipe(part) for part in parts if isinstance(part, ex.Call))
    return frozenset(kind for call in calls for kind in _kinds(context, call))


def _all_sources(context: AnalysisContext) -> Iterator[ex.Expression]:
    for step in calls_anywhere(context, *GRADIENT_STEPS):
        yield from sources_of(step)


def _kinds(context: AnalysisContext, made: Recipe) -> Iterator[Kind]:
    """What a recipe may call; where that is not known, the attribute of the own object."""
    callee, scope = made.call.function, made.call.scope
    found = context.values(callee, scope)
    values = () if UNKNOWN in found else found
    yield from ((value, made.part) for value in values)
    if not values and isinstance(callee, ex.Attribute):
        owner = attributes.class_of_self(callee.value, scope)
        if owner is not None:
            yield (owner, callee.name), made.part
    elif not values:
        origin, _ = origin_over_calls(context, callee, context.solver.root(scope))
        if isinstance(origin, ex.Parameter):
            yield origin, made.part
