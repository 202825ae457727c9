"""Loaders whose one iterator is asked for by two iterations at once.

Question: where does an iteration of a loader with `persistent_workers=True` begin while another one
of it runs? Such a loader hands out the same iterator each time
(`torch/utils/data/dataloader.py`, `DataLoader.__iter__`). Followed are loops inside loops, also in
the functions that they call, and `zip`. Silent where a loop may run over another loader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.analyses.control.call_paths import entered_by
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Loop, Scope, Statement
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import BatchLoop, batch_loops, calls_in
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.workers.order import beginnings
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class Clash(NamedTuple):
    """A second iteration that begins while a first one of the same iterator runs."""

    inner: Place
    outer: Place
    loader: Loader
    is_zipped: bool = False


def clashes(context: AnalysisContext) -> Iterator[Clash]:
    """Where the batches of one loader with persistent workers are asked for twice at once."""
    yield from _nested(context)
    yield from _zipped(context)


def _nested(context: AnalysisContext) -> Iterator[Clash]:
    begun = _begun(context[batch_loops])
    for outer in context[batch_loops]:
        if not isinstance(outer.statement, Loop) or outer.is_single or len(outer.loaders) != 1:
            continue
        made = next(iter(outer.loaders))
        loader = context[Loaders].of(made)
        if _is_persistent(loader) and _denotes(context, outer, made):
            for statement, inner in _inside(context, outer.statement.body, outer.scope, begun):
                if _denotes(context, inner, made):
                    place = Place(inner.scope.module.path, *_header(statement))
                    yield Clash(place, outer.place, loader)


def may_begin_twice(loader: Loader) -> bool:
    """Whether an iteration of a loader may begin while another one of it is not done.

    With persistent workers these would be one: what is begun anew ends the first. Counted are
    batches that a loop asks an iterator for, too; not what begins again once all are given, nor
    what hands the loop its own batches (the `__next__` of an object that reads the loader).
    """
    begun = _begun(loop for loop in loader.loops if not loop.is_restart)
    for outer in loader.loops:
        if outer.body is None or outer.begins_only:
            continue
        own = {outer.statement, *beginnings(outer)}
        asked = (call for call in calls_in(outer.body) if not _asks_for_own(outer, call))
        calls = [call for call in asked if _may_take(loader, call)]
        inside = _inside(loader.context, outer.body, outer.scope, begun, calls)
        if any(statement not in own for statement, _ in inside):
            return True
    return False


def _asks_for_own(loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a call asks for the batches of a loop themselves: its own `next(batches)`."""
    handed = (call.function, *(argument.value for argument in call.arguments))
    owners = (part.value if isinstance(part, ex.Attribute) else part for part in handed)
    return call.statement is loop.statement and loop.iterable in owners


def _may_take(loader: Loader, call: ex.Call) -> bool:
    """Whether a call is given a loader, or no loader at all: what it enters may hold one."""
    given = loader.context[LoadersGiven].to(call)
    return not given or loader.made in given


def _begun(loops: Iterable[BatchLoop]) -> dict[Scope, list[tuple[Statement, BatchLoop]]]:
    """The statements that begin iterations, by their functions."""
    begun: dict[Scope, list[tuple[Statement, BatchLoop]]] = {}
    for loop in loops:
        for statement in beginnings(loop):
            begun.setdefault(loop.scope, []).append((statement, loop))
    return begun


def _header(statement: Statement) -> tuple[int, int]:
    return statement.header if isinstance(statement, Loop) else statement.span


def _inside(
    context: AnalysisContext,
    block: Block,
    scope: Scope,
    begun: dict[Scope, list[tuple[Statement, BatchLoop]]],
    calls: list[ex.Call] | None = None,
) -> Iterator[tuple[Statement, BatchLoop]]:
    """The iterations that begin in a block, also in the functions that it calls, by some calls."""
    inner = set(walk.statements(block))
    yield from (pair for pair in begun.get(scope, ()) if pair[0] in inner)
    for callee in entered_by(context, calls_in(block) if calls is None else calls):
        yield from begun.get(callee, ())


def _denotes(context: AnalysisContext, loop: BatchLoop, made: AllocationSite) -> bool:
    """Whether a loop runs over this loader and certainly over no other."""
    return loop.loaders == {made} and len(context.values(loop.iterable, loop.scope)) == 1


def _zipped(context: AnalysisContext) -> Iterator[Clash]:
    for call in calls_to(context, "builtins.zip"):
        seen: dict[AllocationSite, ex.Argument] = {}
        for argument in call.arguments:
            values = context.values(argument.value, call.scope)
            made = next(iter(values)) if len(values) == 1 else None
            if not isinstance(made, AllocationSite):
                continue
            if made in seen and _is_persistent(context[Loaders].of(made)):
                path = call.scope.module.path
                first, second = (Place(path, *a.span) for a in (seen[made], argument))
                yield Clash(second, first, context[Loaders].of(made), is_zipped=True)
            seen.setdefault(made, argument)


def _is_persistent(loader: Loader) -> bool:
    return all(a.is_true and a.assumed is None for a in loader.argument("persistent_workers"))
