"""Loops that only collect batches: nothing is computed while the next ones are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.library_facts.readers import MUTATORS
from dlint.model.loops import batch_loops, calls_in
from dlint.semantics.values.values import Container, Zipped

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loops import BatchLoop
    from dlint.model.transfers import Transfer

_BUILDERS = frozenset({"list", "tuple", "dict", "len", "range", "enumerate", "isinstance", "print"})


def is_collected(transfer: Transfer) -> bool:
    """Whether every loop that makes this copy only keeps the batches, or may go over kept ones."""
    batches = {batch.loader for batch in transfer.batches}
    loops = [
        x for x in transfer.context[batch_loops] if x.loaders & batches and _makes(x, transfer)
    ]
    return bool(loops) and all(
        _only_keeps(loop, transfer) or _may_be_kept(loop.context, loop.iterable, loop.scope)
        for loop in loops
    )


def _may_be_kept(context: AnalysisContext, iterable: ex.Expression, scope: Scope) -> bool:
    """Whether a list may stand in the place of the loader: its batches, collected before."""
    values = context.values(iterable, scope)
    zipped = [a.value for v in values if isinstance(v, Zipped) for a in v.call.arguments]
    return any(isinstance(value, Container) for value in values) or any(
        _may_be_kept(context, part, scope) for part in zipped if not isinstance(part, ex.Call)
    )


def _calls(loop: BatchLoop) -> list[ex.Call]:
    return [] if loop.body is None or loop.is_single else list(calls_in(loop.body))


def _makes(loop: BatchLoop, transfer: Transfer) -> bool:
    """Whether the copy stands in the body of a loop, or in a function that the body calls."""
    return any(c is transfer.call or _enters(c, transfer) for c in _calls(loop))


def _enters(call: ex.Call, transfer: Transfer) -> bool:
    return transfer.call.scope in callees_of(transfer.context, call)


def _only_keeps(loop: BatchLoop, transfer: Transfer) -> bool:
    """Whether the body puts something into a list or dict, and calls nothing else."""
    calls = _calls(loop)
    kinds = _BUILDERS | MUTATORS | tensors.COPIES
    return any(call.name in MUTATORS for call in calls) and all(
        call.name in kinds or _enters(call, transfer) for call in calls
    )
