"""Outputs of an evaluation that are stacked, batch on batch, which takes batches of one size.

Question: does something stack what the loops over a loader collect of each batch? Followed: lists
that a loop fills, wherever the solver sees them go, themselves or by a part of each (`[out["y"] for
out in outputs]`), and the hooks by which Lightning hands on what it collected. A stack that is only
averaged or summed as a whole is one of numbers, and takes any batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere, library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir.remembering import remembered
from dlint.library_facts.frameworks import EPOCH_ENDS, TRAINING_STEP
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.batch_loops import calls_in
from dlint.semantics.values.values import Container

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_STACKS = frozenset({"torch.stack", "numpy.stack"})
_REDUCTIONS = frozenset({"mean", "sum", "max", "min", "std", "nanmean", "item", "tolist"})


def are_outputs_stacked(loader: Loader) -> bool:
    """Whether what is collected of each batch of a loader has to be of one size."""
    context = loader.context
    filled = {c for loop in loader.loops for c in _filled(loop)}
    return any(
        _is_in_hook(loader, call.scope) or filled & _gone_through(context, call)
        for call in calls_anywhere(context, "stack")
        if _STACKS & {*library_callees(context, call)} and not _is_reduced(call)
    )


def _is_in_hook(loader: Loader, scope: Scope) -> bool:
    """Whether a function puts together what the steps of a model returned for a loader's batches.

    That of a data module may go to any model, a model's own to itself.
    """
    if scope.name not in EPOCH_ENDS or not loader.context[Consumption].hooks_of(loader.made):
        return False
    maker = loader.call.scope.owner
    is_model = maker is not None and TRAINING_STEP in maker.methods
    return scope.owner is maker or not is_model


def _filled(loop: BatchLoop) -> set[ex.Expression]:
    """The lists to which each round of a loop adds something."""
    adding = [] if loop.body is None else [c for c in calls_in(loop.body) if c.name == "append"]
    owners = [c.function.value for c in adding if isinstance(c.function, ex.Attribute)]
    return {c for owner in owners for c in _lists(loop.context, owner, loop.scope)}


def _gone_through(context: AnalysisContext, stack: ex.Call) -> set[ex.Expression]:
    """The lists whose elements are stacked, or a part of each of them."""
    given = written(stack, 0, "tensors") or written(stack, None, "arrays")
    if given is None:
        return set()
    origin = origin_of(given)
    lists = origin.iterables[:1] if isinstance(origin, ex.Comprehension) else (origin,)
    return {c for one in (given, *lists) for c in _lists(context, one, stack.scope)}


def _lists(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> list[ex.Expression]:
    values = context.values(expression, scope)
    return [value.origin for value in values if isinstance(value, Container)]


def _is_reduced(stack: ex.Call) -> bool:
    """Whether a stack is taken as a whole to one number: `torch.stack(losses).mean()`."""
    return stack in _reduced(stack.scope)


@remembered(1024)
def _reduced(scope: Scope) -> frozenset[ex.Expression]:
    """What calls without an axis reduce in a scope."""
    calls = [call for call in scope.calls if call.name in _REDUCTIONS]
    own = [c.function for c in calls if not c.arguments]
    methods = (function.value for function in own if isinstance(function, ex.Attribute))
    given = (values[0] for c in calls if len(values := positional(c)) == len(c.arguments) == 1)
    return frozenset(map(origin_of, (*methods, *given)))
