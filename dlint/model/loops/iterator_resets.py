"""Iterators that one function begins and others read: prefetchers, and `iter` at each pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.callees import held_as
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.rounds import runs_once
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Scope
from dlint.model.loops.batch_loops import (
    EVALUATION,
    GRADIENT_STEPS,
    BatchLoop,
    batch_loops,
    calls_in,
    names_any,
)
from dlint.model.loops.epochs import EpochLoop, around
from dlint.model.loops.gone_through import iterated
from dlint.semantics.values.ordered_set import OrderedSet

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


def iterator_resets(context: AnalysisContext) -> tuple[BatchLoop, ...]:
    """The places that begin an iterator which other code reads."""
    return tuple(_kept_iterators(context))


def _kept_iterators(context: AnalysisContext) -> Iterator[BatchLoop]:
    """Every `self.iterator = iter(loader)`, and `batches = iter(loader)` that a loop reads."""
    for scope in context.reached():
        for call in scope.calls if scope.kind == "function" else ():
            source = written(call, 0) if call.name == "iter" and _is_kept(context, call) else None
            if source is None:
                continue
            values = context.values(source, scope)
            loaders = OrderedSet(m for v in values for m in iterated(context.solver, v))
            if loaders:
                yield BatchLoop(context, call.statement, scope, loaders, source)


def _is_kept(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether an iterator is stored, or read by a loop of the function, or of one it goes to."""
    statement = call.statement
    if not isinstance(statement, Bind) or statement.value is not call:
        return False
    if any(walk.enclosing_loops(statement)):
        return False
    return bool(statement.stores) or any(
        _is_read_in_a_loop(scope, name)
        for d in statement.definitions
        for name, scope in held_as(context, d.name, call.scope)
    )


def _is_read_in_a_loop(scope: Scope, name: str) -> bool:
    return any(
        isinstance(read := written(call, 0), ex.Reference)
        and read.name == name
        and any(walk.enclosing_loops(call.statement))
        for call in scope.calls
        if call.name == "next"
    )


def renewing_epochs(loader: Loader) -> Iterator[EpochLoop]:
    """The loops that train on a loader, and begin it anew by calling such a function."""
    for renewal in loader.context[iterator_resets]:
        if loader.made in renewal.loaders:
            for epoch in around(loader, renewal):
                if _trains(loader, epoch):
                    yield _outermost(loader.context, epoch)


def _trains(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether a gradient step is taken between the loop and the iterator."""
    if any(EVALUATION.search(scope.name) for scope in epoch.inside):
        return False
    if any(_takes_steps(loader, scope) for scope in epoch.inside):
        return True
    is_direct = len(epoch.inside) == 1 and bool(_stores(epoch.batch_loop))
    return is_direct and names_any(calls_in(epoch.loop.body), GRADIENT_STEPS)


def _takes_steps(loader: Loader, scope: Scope) -> bool:
    """Whether a function or what it calls takes gradient steps, loops of other loaders apart."""
    context = loader.context
    foreign = {loop.statement for loop in context[batch_loops] if loader.made not in loop.loaders}

    def own(entered: Scope) -> list[ex.Call]:
        return [
            call
            for call in entered.calls
            if foreign.isdisjoint(walk.enclosing_loops(call.statement))
        ]

    scopes = (scope, *entered_by(context, own(scope), inner=own))
    return any(names_any(own(one), GRADIENT_STEPS) for one in scopes)


def _stores(renewal: BatchLoop) -> bool:
    return isinstance(renewal.statement, Bind) and bool(renewal.statement.stores)


def _outermost(context: AnalysisContext, epoch: EpochLoop) -> EpochLoop:
    """Steps are counted inside epochs, and both loops are around the call."""
    loops = [
        loop
        for loop in walk.enclosing_loops(epoch.loop)
        if not runs_once(context, loop, epoch.scope)
    ]
    return replace(epoch, loop=loops[-1]) if loops else epoch
