"""Phases: what a loop that serves several loaders does with each of them.

Question: on which of its loaders does a loop take no gradient step? Followed: loaders that a dict
holds under the names that an outer loop goes over (`for phase in ("train", "val"):
loaders[phase]`, `for phase, loader in loaders.items()`), and those that the calls of the loop's
function give it (`run_epoch(loader, training=False)`); tests on the way to each gradient step, also
in functions that the loop enters, of the name or of what that call gives. Given up on: modes that
objects keep (`model.training`), and loaders that are also iterated where some gradient step may be
taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import PathTest, tests_of_call
from dlint.analyses.dict_keys import keys_of
from dlint.analyses.guards import comes_out
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loops.batch_loops import (
    GRADIENT_STEPS,
    BatchLoop,
    batch_loops,
    calls_in,
    names_any,
)
from dlint.model.loops.gone_through import iterated
from dlint.semantics.values.conditional_value import Absent
from dlint.semantics.values.contents import contents
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite, Container, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_DEEP = 2
_EQUAL = {"==": True, "!=": False}


class _Round(NamedTuple):
    """The loaders of a loop in one activation, and under one key where it asks for them by key."""

    loaders: OrderedSet[AllocationSite]
    frame: CallContext
    phase: ex.Definition | None = None
    key: object = None


def loops_by_loader(context: AnalysisContext) -> dict[AllocationSite, list[BatchLoop]]:
    """The places where each loader is iterated, as far as they concern it."""
    found: dict[AllocationSite, list[BatchLoop]] = {}
    for loop in context[batch_loops]:
        spared = OrderedSet(_spared(context, loop))
        views = (
            {True: loop}
            if not spared
            else {
                True: replace(loop, loaders=OrderedSet(m for m in loop.loaders if m not in spared)),
                False: replace(loop, loaders=spared, learns=False),
            }
        )
        for made in loop.loaders:
            found.setdefault(made, []).append(views[made not in spared])
    return found


def loops_of(context: AnalysisContext, made: AllocationSite) -> list[BatchLoop]:
    """The places where one loader is iterated."""
    return context[loops_by_loader].get(made, [])


def _spared(context: AnalysisContext, loop: BatchLoop) -> Iterator[AllocationSite]:
    """The loaders of a loop that takes gradients, but on no batch of theirs."""
    if len(loop.loaders) < 2 or loop.body is None or not loop.trains:
        return
    learning = [call for call in calls_in(loop.body) if _may_learn(context, call)]
    for rounds in (list(_by_name(context, loop)), list(_by_call(context, loop))):
        trained = [r for r in rounds if not all(_is_off(context, call, r) for call in learning)]
        met = {made for r in rounds for made in r.loaders}
        found = [m for m in loop.loaders if m in met and not any(m in r.loaders for r in trained)]
        if found:
            yield from found
            return


def spared_keys(context: AnalysisContext, loop: BatchLoop, made: AllocationSite) -> tuple[str, ...]:
    """The names under which a loop asks for what one call makes and takes no gradient step.

    None where it takes none under any name, or another loader under one of these.
    """
    if loop.body is None or not loop.trains:
        return ()
    rounds = [r for r in _by_name(context, loop) if made in r.loaders]
    learning = [call for call in calls_in(loop.body) if _may_learn(context, call)]
    spared = [r for r in rounds if all(_is_off(context, call, r) for call in learning)]
    return tuple(str(r.key) for r in spared) if len(spared) < len(rounds) else ()


def _may_learn(context: AnalysisContext, call: ex.Call) -> bool:
    return names_any(calls_below(context, [call]), GRADIENT_STEPS)


# -- which loaders when


def _by_name(context: AnalysisContext, loop: BatchLoop) -> Iterator[_Round]:
    """The loaders of a loop under each name that an outer loop goes over."""
    yield from _by_key(context, loop)
    yield from _by_item(context, loop)


def _by_key(context: AnalysisContext, loop: BatchLoop) -> Iterator[_Round]:
    """`loaders[phase]`, for each text that the name of an outer loop stands for.

    The function of the loop may also be handed the name.
    """
    asked = (p for p in walk.walk(ex.unnamed(loop.iterable)) if isinstance(p, ex.Subscript))
    for part in asked:
        named = _keys(context, part.index, loop)
        if all(isinstance(k, Literal) and isinstance(k.value, str) for _, k in named):
            for frame, key in ((f, k.value) for f, k in named if isinstance(k, Literal)):
                held = OrderedSet(_held(context, part.value, loop, str(key)))
                yield _Round(held, frame, _bound(part.index), key)


def _keys(
    context: AnalysisContext, phase: ex.Expression, loop: BatchLoop
) -> list[tuple[CallContext, Value]]:
    """What the name of an outer loop stands for, in which activation; [] where that is unclear."""
    bound = _bound(phase)
    made = None if bound is None else bound.value
    if isinstance(made, ex.Element | ex.Item):
        root = context.solver.root(loop.scope)
        return [(root, key) for key in context.values(phase, loop.scope)]
    if not isinstance(made, ex.Parameter):
        return []
    frames = context.evaluator.callers(loop.scope)
    given = [(frame, frame.given(made.name)) for frame in frames]
    keys = [(f, key) for f, g in given if g is not None for key in context.solver.values(*g)]
    return keys if {frame for frame, _ in keys} == {*frames} else []


def _bound(name: ex.Expression) -> ex.Definition | None:
    return name.definition if isinstance(name, ex.Reference) else None


def _by_item(context: AnalysisContext, loop: BatchLoop) -> Iterator[_Round]:
    """The same of `for phase, loader in loaders.items()`, for each key of what is gone through."""
    root = context.solver.root(loop.scope)
    for part in map(ex.unnamed, walk.walk(ex.unnamed(loop.iterable))):
        element = part.value if isinstance(part, ex.Item) and part.position == 1 else None
        if not isinstance(element, ex.Element):
            continue
        holder = ex.mapping_of(element.source, "items")
        if holder is None:
            continue
        name = next((d for d in loop.scope.definitions if _is_key(d.value, element)), None)
        made = [v for v in context.values(holder, loop.scope) if isinstance(v, Container)]
        keys = [keys_of(context, value) for value in made]
        for key in dict.fromkeys(key for found in keys for key in found or ()):
            held = OrderedSet(_held(context, holder, loop, key))
            yield _Round(held, root, name, key)


def _is_key(value: ex.Expression, element: ex.Expression | None) -> bool:
    return isinstance(value, ex.Item) and value.position == 0 and value.value is element


def _held(
    context: AnalysisContext, holder: ex.Expression, loop: BatchLoop, key: str
) -> Iterator[AllocationSite]:
    """The loaders that a dict holds under a key."""
    for value in context.values(holder, loop.scope):
        if isinstance(value, Container):
            node = contents(context.solver, value, key)
            context.solver.settle()
            for inside in list(node.values):
                yield from iterated(context.solver, inside)


def _by_call(context: AnalysisContext, loop: BatchLoop) -> Iterator[_Round]:
    """Each call of the loop's function, with the loaders that it has iterated."""
    frames = context.evaluator.callers(loop.scope) if loop.scope.kind == "function" else []
    for frame in frames:
        found = (a.value for a in context.evaluator.of(loop.iterable, frame))
        given = (value for value in found if not isinstance(value, Absent))
        loaders = OrderedSet(m for v in given for m in iterated(context.solver, v))
        yield _Round(loaders or loop.loaders, frame)


# -- what is learned then


def _is_off(context: AnalysisContext, call: ex.Call, in_round: _Round) -> bool:
    """Whether tests keep a call of a round from being made, or from taking a gradient."""
    waiting = [(call, in_round, _DEEP)]
    while waiting:
        made, where, deep = waiting.pop()
        if any(_fails(context, test, where) for test in tests_of_call(made)):
            continue
        entered = [] if made.name in GRADIENT_STEPS else [*entered_by(context, made, where.frame)]
        if not entered or deep == 0:
            return False
        waiting += [
            (inner, _Round(where.loaders, frame), deep - 1)
            for scope, frame in entered
            for inner in scope.calls
            if _may_learn(context, inner)
        ]
    return True


def _fails(context: AnalysisContext, test: PathTest, in_round: _Round) -> bool:
    """Whether a test comes out otherwise in a round."""
    parts = conjuncts(test.test, truth=test.truth)
    if any(_is_other_phase(context, part, in_round) for part in parts):
        return True
    return comes_out(context, test.test, in_round.frame, truth=test.truth) is False


def _is_other_phase(context: AnalysisContext, test: PathTest, in_round: _Round) -> bool:
    """Whether a test asks for another phase than that of a round: `phase == "train"`."""
    asked = ex.unnamed(test.test)
    if not isinstance(asked, ex.Comparison) or asked.operator not in _EQUAL:
        return False
    name = asked.left
    if not isinstance(name, ex.Reference) or name.definition is not in_round.phase:
        return False
    wanted = context.solver.values(asked.right, in_round.frame)
    keys = {v.value if isinstance(v, Literal) else None for v in wanted}
    if in_round.phase is None or len(keys) != 1 or None in keys:
        return False
    return (in_round.key in keys) is not (_EQUAL[asked.operator] is test.truth)
