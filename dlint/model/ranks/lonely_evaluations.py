"""Loops that one rank alone runs, with a model whose forward pass needs all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import certainly_calls, library_callees
from dlint.analyses.control.call_paths import calls_below, entered_by, only_activation
from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import tests_before, tests_of_call
from dlint.analyses.value_parts import origin_of, parts_behind
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If
from dlint.library_facts import collective_forward as known
from dlint.model.loops.batch_loops import BatchLoop, calls_in
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.rank_expressions import is_for_one_rank, is_one_rank, is_without_ranks
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.control.path_tests import PathTest
    from dlint.findings.places import Span
    from dlint.ir.module import Class, Scope
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
    """Whether buffers are sent in the forward pass, as by default; apex sends none."""
    paths = library_callees(context, wrap)
    if paths and all(path.startswith(known.SENDING_NOTHING) for path in paths):
        return False
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
    """Whether all that makes the model is known, and none of it has buffers.

    Torch sends none then (`DistributedDataParallel.will_sync_module_buffers`). Followed are
    constructors of the project, a few inside one another.
    """
    made = _making(context, wrap)
    entered = list(entered_by(context, made))
    if not made or not all(_is_of_torch(context, scope.owner) for scope in entered):
        return False
    return all(_is_bare(context, call, made, entered) for call in calls_below(context, made))


def _is_of_torch(context: AnalysisContext, owner: Class | None) -> bool:
    """Whether a class takes from modules of torch alone what it has from libraries."""
    if owner is None:
        return True
    classes = context.solver.classes
    return classes.is_whole(owner) and known.MODULES.issuperset(classes.externals(owner))


def _is_bare(
    context: AnalysisContext, call: ex.Call, made: list[ex.Call], entered: list[Scope]
) -> bool:
    """Whether a call makes no buffers itself: what it enters is asked by itself."""
    paths = list(library_callees(context, call))
    if paths:
        return all(p.partition("()")[0] in known.PLAIN or known.BARE.match(p) for p in paths)
    if call.name in known.MOVING and isinstance(call.function, ex.Attribute):
        return origin_of(call.function.value) in made
    own = callees_of(context, call)
    return bool(own) and set(own) <= set(entered)


def lonely_runs(context: AnalysisContext, loop: BatchLoop) -> Iterator[Lonely]:
    if loop.body is None or loop.is_single or loop.trains:
        return
    frames = context.evaluator.callers(loop.scope) or [context.solver.root(loop.scope)]
    for frame in frames:
        found = _one_rank(context, loop, frame)
        if found is not None:
            for name, wrap, certain in context[Distributed].wrapped_in(loop.body, frame):
                yield Lonely(*found, name, wrap, certain)


class LonelyWait(NamedTuple):
    """A call in an evaluation of one rank that returns when all ranks have made it."""

    place: Place
    test: Place
    call: ex.Call


def lonely_waits(context: AnalysisContext, loop: BatchLoop) -> Iterator[LonelyWait]:
    """The calls of all ranks that an evaluation makes which one rank alone runs."""
    if loop.body is None or loop.is_single or loop.trains:
        return
    frames = context.evaluator.callers(loop.scope) or [context.solver.root(loop.scope)]
    for frame in frames:
        found = _one_rank(context, loop, frame)
        if found is not None:
            around = [call for call in loop.scope.calls if _is_behind(found[1], call)]
            for call in _made_anyway(context, around):
                if _waits_for_all(context, call) and not _is_answered(context, found[1]):
                    yield LonelyWait(*found, call)


def _made_anyway(context: AnalysisContext, calls: list[ex.Call]) -> list[ex.Call]:
    """Some calls, and those of functions which they enter that no test there decides over."""
    scopes = entered_by(context, calls, deep=2, inner=_untested)
    return [*calls, *(call for scope in scopes for call in _untested(scope))]


def _untested(scope: Scope) -> list[ex.Call]:
    return [call for call in scope.calls if not tests_of_call(call)]


def _is_behind(test: Place, call: ex.Call) -> bool:
    """Whether a call is made where nothing but this test decides, or where it decides elsewhere:
    a test may leave it to other ranks, or to no rank, if there is one alone."""
    body = call.scope.body.statements
    first = body[0].span[0] if body else call.span[0]
    tests = [known.test.span for known in tests_of_call(call)]
    if test.path != call.scope.module.path or not first <= test.start < call.scope.span[1]:
        return not tests
    return tests == [(test.start, test.end)]


def _waits_for_all(context: AnalysisContext, call: ex.Call) -> bool:
    of_all = certainly_calls(context, call, known.COLLECTIVES)
    return of_all and not bind(context, call).may_be_given(known.GROUP)


def _is_answered(context: AnalysisContext, test: Place) -> bool:
    """Whether the ranks that do not pass a test make such a call too."""
    facts = context.project.load(test.path)
    scopes = () if facts is None else facts.module.scopes
    choices = (s for scope in scopes for s in walk.statements(scope.body) if isinstance(s, If))
    branches = [
        branch
        for choice in choices
        if choice.test.span[0] <= test.start and test.end <= choice.test.span[1]
        for branch in (choice.then, choice.otherwise)
    ]
    waiting = [
        any(_waits_for_all(context, call) for call in calls_below(context, calls_in(branch), 2))
        for branch in branches
    ]
    return sum(waiting) > 1


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
        entered = current if current.call is not None else only_activation(context, current.scope)
        if entered is None or entered.call is None:
            return None
        place, span = context.place_of(entered.call), entered.call.span
        current = entered.caller
    return None


def _test_of_rank(
    context: AnalysisContext, frame: CallContext, tests: list[PathTest]
) -> Span | None:
    decorators = (d for d in frame.scope.decorators if is_for_one_rank(context, d, frame.scope))
    of_one = (test for test, truth in tests if is_one_rank(context, test, frame, truth=truth))
    return next((found.span for found in (*of_one, *decorators)), None)
