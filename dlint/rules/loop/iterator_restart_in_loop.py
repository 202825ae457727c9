"""iterator-restart-in-loop: a loader that is begun anew for each batch, or while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.analyses.control.call_paths import entered_by
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Loop, Scope, Statement
from dlint.model.gradients import runs_without_gradients
from dlint.model.loaders import Loaders
from dlint.model.loops import GRADIENT_STEPS, BatchLoop, batch_loops, calls_any, calls_in
from dlint.model.order import beginnings
from dlint.model.roles import is_named_for_evaluation
from dlint.model.sharding import is_map_style
from dlint.rules.loop._iterator_restarts import restarts
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, TRUE, AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.rules.loop._iterator_restarts import Restart

_ADVICE = "make the iterator once, before the loop, and a new one when it raises StopIteration"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterators made for each step, and loops that reset the iterator of another."""
    for restart in restarts(context):
        yield _restarted(context, restart)
    seen: set[Place] = set()
    for clash in clashes(context):
        if clash.inner not in seen:
            seen.add(clash.inner)
            yield _reset(clash)


def _restarted(context: AnalysisContext, restart: Restart) -> Finding:
    loader = restart.loader
    repeats = _keeps_order(loader)
    if repeats:
        effect = "without shuffling each begins with the same batch, so no other is ever used"
    elif loader.workers_absent:
        effect = "each begins anew, so the steps do not go through the data epoch by epoch"
    else:
        effect = (
            "each begins anew, so what the workers have prefetched is thrown away and the steps "
            "do not go through the data epoch by epoch"
        )
    loop = Place(restart.scope.module.path, *restart.loop.header)
    wrong = Severity.ERROR if repeats else Severity.WARNING
    return Finding(
        Severity.INFO if _is_a_look(context, restart) else wrong,
        f"this makes a new iterator of the loader at every step: {effect}; {_ADVICE}",
        context.place_of(restart.call),
        (
            Related(loop, "it is run again by this loop"),
            Related(loader.place, "the loader is made here"),
        ),
    )


def _is_a_look(context: AnalysisContext, restart: Restart) -> bool:
    """Whether nothing learns from the batch: one is looked at for a picture or a figure."""
    call = restart.call
    if not calls_any(context, restart.loop.body, GRADIENT_STEPS):
        return True
    if runs_without_gradients(context, call.statement, call.scope):
        return True
    return is_named_for_evaluation(restart.loader)


def _keeps_order(loader: Loader) -> bool:
    """Whether every iteration certainly begins with the same samples."""
    given = [a for n in ("shuffle", "sampler", "batch_sampler") for a in loader.argument(n)]
    plain = all(a.value in (ABSENT, FALSE, NONE) and a.assumed is None for a in given)
    return plain and is_map_style(loader)


def _reset(clash: Clash) -> Finding:
    effect = (
        "`zip` takes both parts of a pair from one iterator"
        if clash.is_zipped
        else "this resets the iterator that is being read, and its remaining batches are lost"
    )
    return Finding(
        Severity.ERROR,
        "a loader with `persistent_workers=True` has one iterator for all that iterate it: "
        f"{effect}; make a second loader",
        clash.inner,
        (
            Related(clash.outer, "the loader is iterated here already"),
            Related(clash.loader.place, "the loader is made here"),
        ),
    )


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
    begun: dict[Scope, list[tuple[Statement, BatchLoop]]] = {}
    for loop in context[batch_loops]:
        for statement in beginnings(loop):
            begun.setdefault(loop.scope, []).append((statement, loop))
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


def _header(statement: Statement) -> tuple[int, int]:
    return statement.header if isinstance(statement, Loop) else statement.span


def _inside(
    context: AnalysisContext,
    block: Block,
    scope: Scope,
    begun: dict[Scope, list[tuple[Statement, BatchLoop]]],
) -> Iterator[tuple[Statement, BatchLoop]]:
    """The iterations that begin in a block, also in the functions that it calls."""
    inner = set(walk.statements(block))
    yield from (pair for pair in begun.get(scope, ()) if pair[0] in inner)
    for callee in entered_by(context, calls_in(block)):
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
    return all(a.value == TRUE and a.assumed is None for a in loader.argument("persistent_workers"))
