"""Evaluations that gather over ranks, with the samples that Accelerate repeats.

Question: does a loop that evaluates put parts of its batches, or what was compared with them, of
all ranks together, where Accelerate may have made the last batch up from the first samples?
Followed: loaders that are prepared, tuples and dicts that are gathered, `*args` and parameters of
the functions that gather, methods that keep rows.
Given up on: code that may leave repeated samples out again, by words for it two callers far.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import calls_below, is_repeated, leading_to
from dlint.analyses.value_parts import origin_over_calls
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts import gathering as known
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import is_evaluation
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.calls.binding import given_to_rest
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, AllocationSite, Batch, VarArgs

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


class Gatherer(NamedTuple):
    """The method of an Accelerator that a call gathers by."""

    owner: str
    """By which dotted name the Accelerator goes there."""
    place: Place
    """Where the method is named."""


class Gathering(NamedTuple):
    """A call that puts the samples of all ranks together, in a loop that evaluates them."""

    place: Place
    loop: BatchLoop
    loader: Loader
    beside: tuple[Gatherer | None, ...]
    """By what all such calls of the loop gather; None for one that is of no named Accelerator."""


def gatherings(context: AnalysisContext) -> Iterator[Gathering]:
    """The first call of each evaluation that gathers what Accelerate may have repeated."""
    seen: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            for loop in loader.loops if _is_completed(loader) else ():
                found = _first(loader, loop)
                if found is not None and found.place not in seen:
                    seen.add(found.place)
                    yield found


def _is_completed(loader: Loader) -> bool:
    """Whether Accelerate is given the loader and makes its last batches up from the first ones."""
    given = [(f, c) for f, c in loader.context[Consumption].of(loader.made) if c is not None]
    prepared = [c for f, c in given if f.name == known.FRAMEWORK]
    if not prepared or any(f.name != known.FRAMEWORK for f, _ in given):
        return False
    dropping = any(a.value not in (ABSENT, FALSE, NONE) for a in loader.argument("drop_last"))
    return not dropping and not any(_leaves_uneven(loader.context, c) for c in prepared)


def _leaves_uneven(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether an Accelerator may be asked to leave ranks with fewer samples."""
    callee = call.function
    values = context.values(callee.value, call.scope) if isinstance(callee, ex.Attribute) else ()
    owners = [bind(context, v.call) for v in values if isinstance(v, AllocationSite)]
    return any(
        a.value not in (ABSENT, NONE)
        for given in owners
        for name in known.DECIDING
        for a in given.alternatives(name)
    )


def _first(loader: Loader, loop: BatchLoop) -> Gathering | None:
    if loop.body is None or loop.is_single or not is_evaluation(loop):
        return None
    context = loader.context
    entered = calls_below(context, calls_in(loop.body), 2)
    calls = [c for c in entered if is_call_to(context, c, known.GATHER)]
    found = next((call for call in calls if _has_samples(context, call, loader)), None)
    together = len(calls) > 1 or (found is not None and _joins(context, found, loop))
    if found is None or not together or _is_cut(context, loop.scope):
        return None
    beside = tuple(_gatherer(context, call) for call in calls)
    return Gathering(context.place_of(found), loop, loader, beside)


def _gatherer(context: AnalysisContext, call: ex.Call) -> Gatherer | None:
    """The method of a named Accelerator that a call gathers by."""
    callee = call.function
    owner = ex.dotted(callee.value) if isinstance(callee, ex.Attribute) else None
    if owner is None or not is_call_to(context, call, known.METHODS):
        return None
    return Gatherer(owner, Place(call.scope.module.path, *callee.span))


def _joins(context: AnalysisContext, call: ex.Call, loop: BatchLoop) -> bool:
    """Whether a call gathers several tensors, or what two of them were compared to.

    In a function that a round enters: one after the other, or each time that it does.
    """
    if loop.body is not None and call.scope is not loop.scope:
        entering = [c for c in calls_in(loop.body) if call.scope in callees_of(context, c)]
        if is_repeated(call) or len(entering) > 1:
            return True
    parts = list(_gathered(context, call))
    return len(parts) > 1 or any(_compared(context, *part) is not None for part in parts)


def _has_samples(context: AnalysisContext, call: ex.Call, loader: Loader) -> bool:
    """Whether a call gathers a part of the batch, or what was compared with one, row by row."""
    return any(
        _is_by_sample(context, part, scope, loader) for part, scope in _gathered(context, call)
    )


def _gathered(context: AnalysisContext, call: ex.Call) -> Iterator[tuple[ex.Expression, Scope]]:
    """What a call gathers, and where it stands: of a tuple or dict, also of `*args`, what it holds.

    Of a parameter that all known calls give one thing, that thing.
    """
    for value in positional(call):
        display, frame = origin_over_calls(context, value, context.solver.root(call.scope))
        match display:
            case ex.Sequence():
                yield from ((item, frame.scope) for item in display.items)
            case ex.Mapping():
                yield from ((item, frame.scope) for _, item in display.items)
            case ex.Parameter() if rest := list(_rest(context, value, call.scope)):
                yield from rest
            case _:
                yield display, frame.scope


def _rest(
    context: AnalysisContext, value: ex.Expression, scope: Scope
) -> Iterator[tuple[ex.Expression, Scope]]:
    """What the known calls give to `*args`."""
    for held in context.values(value, scope):
        for argument, frame in given_to_rest(held.frame) if isinstance(held, VarArgs) else ():
            yield argument.value, frame.scope


def _is_by_sample(
    context: AnalysisContext, value: ex.Expression, scope: Scope, loader: Loader
) -> bool:
    if _is_batch(context, value, scope, loader):
        return True
    comparison, where = _compared(context, value, scope) or (None, scope)
    sides = () if comparison is None else (comparison.left, comparison.right)
    return any(_is_batch(context, side, where, loader) for side in sides)


def _compared(
    context: AnalysisContext, value: ex.Expression, scope: Scope
) -> tuple[ex.Comparison, Scope] | None:
    """`(predictions == labels).float()`: the comparison and where; None for anything else."""
    found, frame = origin_over_calls(context, value, context.solver.root(scope))
    while isinstance(found, ex.Call) and isinstance(found.function, ex.Attribute):
        if found.name not in known.KEEPING_ROWS:
            return None
        found, frame = origin_over_calls(context, found.function.value, frame)
    return (found, frame.scope) if isinstance(found, ex.Comparison) else None


def _is_batch(context: AnalysisContext, value: ex.Expression, scope: Scope, loader: Loader) -> bool:
    values = context.values(value, scope)
    return any(isinstance(v, Batch) and v.loader == loader.made for v in values)


def _is_cut(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function, or one that calls it, may leave repeated samples out again."""
    around = {scope, *(call.scope for call in leading_to(context, scope, deep=2))}
    return any(_cuts(part) for one in around for part in parts_of(one))


def _cuts(part: ex.Expression) -> bool:
    match part:
        case ex.Subscript(index=ex.Slice(bounds=(None, stop, None))) if stop is not None:
            return not isinstance(stop, ex.Constant)
        case ex.Attribute() | ex.Reference():
            return part.name in known.TELLING
        case ex.Call():
            return part.name in known.REMOVING
    return False
