"""Streams of which ranks get different numbers of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import leading_to
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, With
from dlint.library_facts import streams as known
from dlint.model.data.streams import Stream
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.batch_loops import calls_in
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.rank_expressions import differs_by_rank, is_rank
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.ranks.distributed import Replica


_BOUNDS = len(("start", "stop", "step"))


def rank_cut(context: AnalysisContext, stream: Stream) -> Place | None:
    """Where the iterator takes one rank's part; None where something may even the parts out."""
    iterator, classes = stream.iterator, context.solver.classes
    if iterator is None:
        return None
    called = [callee for call in iterator.calls for callee in callees_of(context, call)]
    made = None if iterator.owner is None else classes.method(iterator.owner, "__init__")
    scopes = list(dict.fromkeys((iterator, *called, *filter(None, (made,)))))
    if any(_never_ends(scope) or any(map(_evens_out, parts_of(scope))) for scope in scopes):
        return None
    for scope in scopes:
        for part in parts_of(scope):
            if _is_part_of_rank(context, part, scope):
                return Place(scope.module.path, *part.span)
    return None


def _never_ends(iterator: Scope) -> bool:
    """Whether a loop `while True` goes on with the same part."""
    return any(
        isinstance(statement, Loop) and statement.test is not None
        for statement in walk.statements(iterator.body)
    )


def _evens_out(part: ex.Expression) -> bool:
    """Whether an expression may cut, fill or repeat what a rank yields."""
    match part:
        case ex.Binary():
            return part.operator == "//"
        case ex.Call():
            return part.name in known.EVENING and not _has_no_stop(part)
        case ex.Slice(bounds=(_, stop, _)):
            return stop is not None and not isinstance(stop, ex.Constant | ex.Unary)
    return False


def _has_no_stop(call: ex.Call) -> bool:
    """`islice(files, start, None, step)`."""
    stop = ex.constant(written(call, 2))
    return call.name == "islice" and stop is not None and stop.value is None


def _is_part_of_rank(context: AnalysisContext, part: ex.Expression, scope: Scope) -> bool:
    """`files[rank::world]`, `islice(files, rank, None, world)`, `number % world == rank`.

    `range(rank, len(files), world)` too.
    """
    match part:
        case ex.Subscript(index=ex.Slice(bounds=(start, _, step))) if start and step:
            return _is_by_rank(context, start, scope)
        case ex.Call() if "itertools.islice" in library_callees(context, part):
            start = written(part, 1)
            return _has_no_stop(part) and _is_by_rank(context, start, scope)
        case ex.Call(name="range") if len(bounds := positional(part)) == _BOUNDS:
            return _is_by_rank(context, bounds[0], scope)
        case ex.Comparison(operator="=="):
            sides = [part.left, part.right]
            taken = [s for s in sides if isinstance(s, ex.Binary) and s.operator == "%"]
            others = [side for side in sides if side not in taken]
            return len(taken) == 1 and all(_is_by_rank(context, s, scope) for s in others)
    return False


def _is_by_rank(context: AnalysisContext, start: ex.Expression | None, scope: Scope) -> bool:
    """Whether a number is the rank, or is reckoned with it."""
    root = context.solver.root(scope)
    parts = [] if start is None else list(walk.walk(start))
    named = [part for part in parts if isinstance(part, ex.Reference | ex.Attribute | ex.Call)]
    known = start is not None and differs_by_rank(context, start, root)
    return known or any(is_rank(context, part, root) for part in named)


def waiting_replica(dataset: DatasetClass) -> Replica | None:
    """A model that several ranks train on all that a loader of it yields."""
    for loader in dataset.own_loaders:
        if loader.context[Consumption].of(loader.made) or not loader.is_made:
            continue
        for replica in loader.context[Distributed].replicas(loader):
            if replica.loop is not None and _runs_to_the_end(replica.loop):
                return replica
    return None


def _runs_to_the_end(loop: BatchLoop) -> bool:
    """Whether each rank goes on until its loader ends, whatever the others do."""
    body = loop.body
    if body is None or loop.is_single or loop.stops_early:
        return False
    leading = (call.statement for call in leading_to(loop.context, loop.scope))
    around = (o for s in (loop.statement, *leading) for o in walk.ancestors(s))
    managers = [item for outer in around if isinstance(outer, With) for item in outer.items]
    joined = any(
        isinstance(part, ex.Call) and part.name in known.JOINING
        for item in managers
        for part in walk.walk(item)
    )
    return not joined and not any(call.name in known.AGREEING for call in calls_in(body))
