"""Attributes that are written to the parts of a data set, and to the data set behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.model.dataset_origins import Assigned, DatasetOrigins, Origin, Origins, assignments

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

OF_SUBSET = frozenset({"dataset", "indices"})
"""What a `Subset` itself reads."""


def part_assignments(context: AnalysisContext) -> Iterator[tuple[Assigned, frozenset[Origin]]]:
    """Writes to attributes of what certainly is torch's `Subset`, with the parts it may be."""
    origins = context[DatasetOrigins]
    for assigned in context[assignments]:
        if assigned.name not in OF_SUBSET:
            found = origins.of(assigned.owner, context.solver.root(assigned.scope))
            if found and all(map(origins.is_part, found)):
                yield assigned, found


def whole_assignments(context: AnalysisContext, whole: Origin) -> Iterator[Assigned]:
    """Writes from outside to attributes of a data set, and to `.dataset` of its parts."""
    origins = context[DatasetOrigins]
    for assigned in context[assignments]:
        scope = assigned.scope
        if is_self(assigned.owner, scope):
            continue
        found = origins.of(assigned.owner, context.solver.root(scope))
        if assigned.name == "dataset":
            if _may_be_of(context, found, whole, scope):
                yield assigned
        elif found is not None and any(whole.call is other.call for other in found):
            yield assigned


def _may_be_of(context: AnalysisContext, found: Origins, whole: Origin, scope: Scope) -> bool:
    """Whether what has another data set put behind it may be a part of this one."""
    if found is None:
        return scope.module is whole.call.scope.module
    wholes = [context[DatasetOrigins].whole(part) for part in found]
    return any(one is None or any(whole.call is o.call for o in one) for one in wholes)
