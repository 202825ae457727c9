"""Batches that a loop only collects, and loops that may go over collected ones.

Question: does every loop that makes a copy of its batches only keep them, in a list or dict, or may
a list of batches that were collected before stand in the place of its loader?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.library_facts.readers import MUTATORS
from dlint.model.loops.batch_loops import calls_in
from dlint.model.transfers.batch_copies import BatchCopies
from dlint.semantics.values.values import Container, Zipped

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.transfers.transfers import Transfer

_BUILDERS = frozenset({"list", "tuple", "dict", "len", "range", "enumerate", "isinstance", "print"})


def is_collected(found: BatchCopies, transfer: Transfer) -> bool:
    """Whether every loop that makes this copy only keeps the batches, or may go over kept ones."""
    ways = found.ways[transfer]
    return bool(ways) and all(
        _only_keeps(way.loop, way.entry)
        or _may_be_kept(way.loop.context, way.loop.iterable, way.loop.scope)
        for way in ways
    )


def _may_be_kept(context: AnalysisContext, iterable: ex.Expression, scope: Scope) -> bool:
    """Whether a list may stand in the place of the loader: its batches, collected before."""
    values = context.values(iterable, scope)
    zipped = [a.value for v in values if isinstance(v, Zipped) for a in v.call.arguments]
    return any(isinstance(value, Container) for value in values) or any(
        _may_be_kept(context, part, scope) for part in zipped if not isinstance(part, ex.Call)
    )


def _only_keeps(loop: BatchLoop, entry: ex.Call | None) -> bool:
    """Whether the body puts something into a list or dict, and calls nothing else."""
    calls = [] if loop.body is None or loop.is_single else list(calls_in(loop.body))
    kinds = _BUILDERS | MUTATORS | tensors.COPIES
    return any(call.name in MUTATORS for call in calls) and all(
        call.name in kinds or call is entry for call in calls
    )
