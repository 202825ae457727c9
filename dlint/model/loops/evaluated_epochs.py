"""Epochs that train on one loader, and evaluate on another.

Question: does each of these epochs, in which a loader is evaluated, also take gradient steps on
some loader? Followed: batch loops around which the same loop runs, there or in functions that it
calls. Given up on: training steps on batches that come from no loader that is known. No, too, where
a test on the way asks for a remainder (`if epoch % 5 == 0`): then few epochs evaluate.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epochs import EpochLoop, epoch_loops
from dlint.model.loops.few_batches import runs_now_and_then

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop


def is_evaluated_beside_training(epoch: EpochLoop) -> bool:
    """Whether each of these epochs trains on a loader, and comes to the batches of this loop."""
    context = epoch.batch_loop.context
    return epoch.loop in context[_training_loops] and not _is_now_and_then(context, epoch)


def _training_loops(context: AnalysisContext) -> frozenset[Loop]:
    """The loops that train on some loader again and again."""
    loaders = chain.from_iterable(context[Loaders].by_call().values())
    found = (epoch for loader in loaders for epoch in epoch_loops(loader))
    return frozenset(epoch.loop for epoch in found if epoch.batch_loop.trains)


def _is_now_and_then(context: AnalysisContext, epoch: EpochLoop) -> bool:
    way = (*epoch.inside, epoch.scope)
    if runs_now_and_then(epoch.batch_loop.scope, epoch.batch_loop.statement.span):
        return True
    calls = (call for scope in epoch.inside for call in callers_of(context, scope))
    return any(runs_now_and_then(call.scope, call.span) for call in calls if call.scope in way)
