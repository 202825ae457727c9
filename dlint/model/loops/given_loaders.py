"""Which loaders calls are given, and which of them may come to a place at all.

Question: does a loader that an expression denotes over all paths come to where it stands. Followed:
tests there against those under which the loader is made, in the function that makes it and in those
that it is handed to as an argument. Given up on: loaders that objects hold. Budget: `_DEPTH` calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.contrary_tests import is_made_otherwise
from dlint.analyses.value_parts import parts_gone_through
from dlint.ir import expressions as ex
from dlint.model.loops.gone_through import iterated, members
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Scope

_DEPTH = 3
"""How many calls may hand a loader on before it is taken to come to a place."""


class LoadersGiven:
    """The loaders among the arguments of calls."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[ex.Call, OrderedSet[AllocationSite]] = {}

    def to(self, call: ex.Call) -> OrderedSet[AllocationSite]:
        """The loaders that one call is given."""
        if call not in self._known:
            self._known[call] = self._given_to(call)
        return self._known[call]

    def _given_to(self, call: ex.Call) -> OrderedSet[AllocationSite]:
        context, scope, values = self._context, call.scope, [a.value for a in call.arguments]
        found = [(made, value) for value in values for made in loaders_in(context, value, scope)]
        coming = [m for m, value in found if may_come(context, m, value, scope, call.span)]
        return OrderedSet(coming or (made for made, _ in found))


def loaders_in(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> OrderedSet[AllocationSite]:
    """The loaders that an expression denotes, holds or gives the batches of."""
    values, solver = context.values(expression, scope), context.solver
    return OrderedSet(m for v in values for m in (*members(solver, v), *iterated(solver, v)))


def may_come(
    context: AnalysisContext,
    made: AllocationSite,
    given: ex.Expression,
    scope: Scope,
    span: Span,
    way: tuple[Scope, ...] = (),
) -> bool:
    """Whether a loader that an expression denotes may be there when its place is reached.

    `way`: the functions that have been handed it beyond that place.
    """
    if is_made_otherwise(context, made, given, scope, span):
        return False
    if len(way) == _DEPTH or not _is_handed_on(context, made, given, scope):
        return True
    handing = [
        (argument.value, call)
        for call in callers_of(context, scope)
        for argument in call.arguments
        if made in loaders_in(context, argument.value, call.scope)
    ]
    return not handing or any(
        may_come(context, made, value, call.scope, call.span, (*way, scope))
        for value, call in handing
    )


def _is_handed_on(
    context: AnalysisContext, made: AllocationSite, given: ex.Expression, scope: Scope
) -> bool:
    """Whether all names by which an expression comes to a loader are parameters."""
    named = (p for p in parts_gone_through(given) if isinstance(p, ex.Reference | ex.Attribute))
    names = [part for part in named if made in context.values(part, scope)]
    return bool(names) and all(isinstance(ex.unnamed(name), ex.Parameter) for name in names)
