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
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.kept_types import changes_nothing
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
    taken = [way for way in ways if not _is_left_out(context, way)] or ways
    if len(taken) < len(ways):
        found &= _renewed(v for way in taken for v in context.values(way, scope))
    return frozenset(made for made in found if not _are_kept(context, taken, made))


def _are_kept(context: AnalysisContext, ways: list[ex.Expression], made: AllocationSite) -> bool:
    """Whether each of some expressions converts a batch of a loader to the type that it has."""
    loader = context[Loaders].of(made)
    return bool(ways) and all(isinstance(w, ex.Call) and changes_nothing(loader, w) for w in ways)


def _renewed(values: Iterable[object]) -> frozenset[AllocationSite]:
    return frozenset(v.loader for v in values if isinstance(v, Batch) and v.fresh)


def _is_left_out(context: AnalysisContext, way: ex.Expression) -> bool:
    """Whether a call is made only where somebody asks for it."""
    if not isinstance(way, ex.Call):
        return False
    return is_left_out(context, context.solver.root(way.scope), way.span)
