"""Loops that one rank alone runs, with a model whose forward pass needs all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.value_parts import parts_behind
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts import collective_forward as known
from dlint.model.distributed import Distributed
from dlint.model.loops import BatchLoop
from dlint.model.rank_expressions import is_one_rank, is_without_ranks
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.control.path_tests import PathTest
    from dlint.findings.places import Span
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext


class Lonely(NamedTuple):
    """A loop that one rank alone runs, by the test of its rank, with a model of all ranks."""

    place: Place
    test: Place
    name: str
    wrap: ex.Call
    is_certain: bool
    """Whether it is called with nothing else."""


def sends_buffers(context: AnalysisContext, wrap: ex.Call) -> bool:
    """Whether buffers are sent in the forward pass, as by default."""
    given = bind(context, wrap)
    found = (a.value for name in known.SWITCHES for a in given.alternatives(name))
    return all(value in (ABSENT, NONE, TRUE) for value in found)


def _making(context: AnalysisContext, wrap: ex.Call) -> list[ex.Call]:
    """The calls that make the model."""
    model = bind(context, wrap, "module").get("module")
    root = context.solver.root(wrap.scope)
    parts = () if model is None else parts_behind(context, model, root)
    return [part for part in parts if isinstance(part, ex.Call)]


def has_buffers(context: AnalysisContext, wrap: ex.Call) -> bool:
    """Whether the model is seen to have buffers: batch norm, or a network known for it."""
    return any(
        known.BUFFERED.match(path)
        for call in calls_below(context, _making(context, wrap))
        for path in library_callees(context, call)
    )


def has_no_buffers(context: AnalysisContext, wrap: ex.Call) -> bool:
    """Whether the model is one layer of torch that is known to have none."""
    paths = [list(library_callees(context, call)) for call in _making(context, wrap)]
    made = {path.partition("()")[0] for found in paths for path in found}
    return all(paths) and bool(made) and made <= known.PLAIN


def lonely_runs(context: AnalysisContext, loop: BatchLoop) -> Iterator[Lonely]:
    if loop.body is None or loop.is_single or loop.trains:
        return
    frames = context.evaluator.callers(loop.scope) or [context.solver.root(loop.scope)]
    for frame in frames:
        found = _one_rank(context, loop, frame)
        if found is not None:
            for name, wrap, certain in context[Distributed].wrapped_in(loop.body, frame):
                yield Lonely(*found, name, wrap, certain)


def _one_rank(
    context: AnalysisContext, loop: BatchLoop, frame: CallContext
) -> tuple[Place, Place] | None:
    """What one rank alone runs, and the test that says so; None where all ranks run it."""
    place, span = loop.place, loop.statement.span
    current: CallContext | None = frame
    seen: set[Scope] = set()
    while current is not None and current.scope not in seen:
        seen.add(current.scope)
        tests = list(tests_before(current.scope, span))
        parts = (part for t, truth in tests for part in conjuncts(t, truth=truth))
        if any(is_without_ranks(context, t, current, truth=truth) for t, truth in parts):
            return None
        test = _test_of_rank(context, current, tests)
        if test is not None:
            return place, Place(current.scope.module.path, *test)
        entered = current if current.call is not None else _only_caller(context, current.scope)
        if entered is None or entered.call is None:
            return None
        place, span = context.place_of(entered.call), entered.call.span
        current = entered.caller
    return None


def _only_caller(context: AnalysisContext, scope: Scope) -> CallContext | None:
    """The activation of a function by the one call that is known of it."""
    callers = context.evaluator.callers(scope) if scope.kind == "function" else []
    return callers[0] if len(callers) == 1 else None


def _test_of_rank(
    context: AnalysisContext, frame: CallContext, tests: list[PathTest]
) -> Span | None:
    return next(
        (test.span for test, truth in tests if is_one_rank(context, test, frame, truth=truth)),
        None,
    )
