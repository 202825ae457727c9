"""Loaders of whose batches a new tensor is copied, made on the CPU.

Question: may what is copied be another tensor than the loader gave? Followed: what a local name may
hold, where branches meet. Left out are branches that run only where an option is given that is off
by default: `if args.precision == "half": x = x.half()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.guards import is_left_out
from dlint.analyses.value_parts import alternatives_of
from dlint.ir import expressions as ex
from dlint.semantics.values.values import AllocationSite, Batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer


def renewed_loaders(transfer: Transfer) -> frozenset[AllocationSite]:
    """The loaders of whose batches the copy may take a new tensor, as a program runs by default."""
    found = _renewed(transfer.batches)
    ways = list(alternatives_of(transfer.source)) if found else []
    context, scope = transfer.context, transfer.call.scope
    taken = [way for way in ways if not _is_left_out(context, way)]
    if len(taken) in (0, len(ways)):
        return found
    return found & _renewed(v for way in taken for v in context.values(way, scope))


def _renewed(values: Iterable[object]) -> frozenset[AllocationSite]:
    return frozenset(v.loader for v in values if isinstance(v, Batch) and v.fresh)


def _is_left_out(context: AnalysisContext, way: ex.Expression) -> bool:
    """Whether a call is made only where somebody asks for it."""
    if not isinstance(way, ex.Call):
        return False
    return is_left_out(context, context.solver.root(way.scope), way.span)
