"""Epoch loops: what runs a loader again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.control.call_paths import chains_to, entered_by
from dlint.analyses.control.order import is_inside, step_of
from dlint.analyses.control.rounds import counted_rounds, runs_once
from dlint.analyses.value_parts import parts_gone_through
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Loop, ModuleIndex, Scope, Statement
from dlint.model.loops.batch_loops import EVALUATION, BatchLoop, calls_in, loaders_chosen
from dlint.model.loops.given_loaders import LoadersGiven, loaders_in
from dlint.model.loops.gone_through import iterated, members
from dlint.model.loops.gradients import (
    function_switches_off,
    runs_without_gradients,
    switches_off_inside,
)
from dlint.model.loops.modes import learns_nothing, runs_in_eval_mode
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import AllocationSite

_COUNTERS = frozenset({"range", "trange", "tqdm", "count"})


@dataclass(eq=False, frozen=True)
class EpochLoop:
    """A loop around a batch loop, in the same function or in a caller."""

    loop: Loop
    scope: Scope
    batch_loop: BatchLoop
    inside: tuple[Scope, ...]
    """The functions that each epoch enters anew on the way to the batches."""

    @property
    def place(self) -> Place:
        """The header of the loop."""
        return Place(self.scope.module.path, *self.loop.header)

    @property
    def code(self) -> tuple[Loop, Scope, tuple[Scope, ...]]:
        """What it runs, whichever batches it comes to: the same loop may be around many loaders."""
        return self.loop, self.scope, self.inside

    @property
    def modules(self) -> frozenset[ModuleIndex]:
        """The modules between the loop and its batches."""
        return frozenset({self.scope.module, *(scope.module for scope in self.inside)})

    def goes_around(self, other: EpochLoop) -> bool:
        """Whether each of its rounds runs another loop on the way to the same batches."""
        if self.batch_loop.statement is not other.batch_loop.statement or self.loop is other.loop:
            return False
        inner = other.scope is self.scope and is_inside(other.loop, self.loop)
        return inner or other.scope in self.inside

    def turn(self, context: AnalysisContext, scope: Scope | None = None) -> list[Statement]:
        """The statements of an epoch's body by which it comes to the batches.

        Of the body of `scope`, where that is one of the functions that each epoch enters.
        """
        way = (*self.inside, self.scope)
        at = self.inside.index(scope) if scope in self.inside else len(self.inside)
        body = self.loop.body if way[at] is self.scope else way[at].body
        if at == 0:
            return _on_the_way(body, self.batch_loop.statement)
        callers = (c for c in callers_of(context, way[at - 1]) if c.scope is way[at])
        return [s for call in callers for s in _on_the_way(body, call.statement)]

    def is_counter(self, context: AnalysisContext, expression: ex.Expression, scope: Scope) -> bool:
        """Whether an expression is the number of the epoch, as the loop counts it."""
        if not isinstance(expression, ex.Reference) or expression.definition is None:
            return False
        if expression.definition in self.loop.definitions:
            return True
        given = self.given(context, expression.definition.value, scope)
        return bool(given) and all(g is not None and self.is_counter(context, *g) for g in given)

    def given(
        self, context: AnalysisContext, expression: ex.Expression, scope: Scope
    ) -> list[tuple[ex.Expression, Scope] | None]:
        """What calls give to a parameter of a function that each epoch enters; None is unknown.

        Nothing where an expression is no such parameter.
        """
        if scope not in self.inside or not isinstance(expression, ex.Parameter):
            return []
        frames = context.evaluator.callers(scope)
        found = [frame.given(expression.name) for frame in frames]
        return [None if one is None else (one[0], one[1].scope) for one in found]

    def may_change(self, context: AnalysisContext, expression: ex.Expression, scope: Scope) -> bool:
        """Whether epochs may give an expression other values: it is no constant, also by calls."""
        made = ex.unnamed(expression)
        given = self.given(context, made, scope)
        if given:
            return any(g is None or self.may_change(context, *g) for g in given)
        return not isinstance(made, ex.Constant)

    def is_single_by_default(self, context: AnalysisContext) -> bool:
        """Whether there is one epoch unless somebody asks for more."""
        return runs_once(context, self.loop, self.scope, with_defaults=True)

    def is_single_for(self, loader: Loader) -> bool:
        """The same, by what those calls say that hand on one loader."""
        frames = _frames_of(loader, self.scope)
        return all(
            runs_once(loader.context, self.loop, self.scope, with_defaults=True, frame=frame)
            for frame in frames
        )

    def single_by(self, context: AnalysisContext) -> str | None:
        """The default by which there is one epoch; None where more are certain, or none known."""
        if not self.is_single_by_default(context):
            return None
        return next(
            (a.assumed for a in counted_rounds(context, self.loop, self.scope) if a.assumed), None
        )

    def makes(self, made: AllocationSite) -> bool:
        """Whether each epoch makes a new one, there or in a function that it enters."""
        made_by = [made.call, *(f.call for f in made.frame.chain() if f.call)]
        return any(map(self.holds, made_by))

    def holds(self, call: ex.Call) -> bool:
        """Whether a call stands in the loop, or in a function on the way to the batches."""
        return call.scope in self.inside or is_inside(call.statement, self.loop)

    def replaces(self, made: AllocationSite) -> bool:
        """Whether each epoch may put a new loader in the place of this one."""
        return self.makes(made) or any(map(self.makes, self._in_its_place(made)))

    def _in_its_place(self, made: AllocationSite) -> Iterator[AllocationSite]:
        """The other loaders that the batches may come from, where the epochs hand this one on."""
        context = self.batch_loop.context
        if not self.inside:
            yield from self.batch_loop.loaders - {made}
        for call in callers_of(context, self.inside[-1]) if self.inside else ():
            for argument in call.arguments if call.scope is self.scope else ():
                given = loaders_in(context, argument.value, call.scope)
                yield from given - {made} if made in given else ()


def _on_the_way(body: Block, statement: Statement) -> list[Statement]:
    """The statement of a body that holds another one, or is it."""
    step = step_of(body, statement)
    return [] if step is None else [step]


def epoch_loops(loader: Loader) -> Iterator[EpochLoop]:
    """The loops that train on a loader for more than one epoch.

    Of a function that only begins the loader, for a loop that calls it, nothing says that it does.
    """
    return _epochs(loader, (x for x in loader.loops if not (is_evaluation(x) or _only_begins(x))))


def _only_begins(loop: BatchLoop) -> bool:
    return loop.begins_only and not loop.outer_loops and not loop.trains


def repeating_loops(loader: Loader) -> Iterator[EpochLoop]:
    """The loops that begin a loader again and again, to train or to evaluate."""
    return _epochs(loader, loader.loops)


def _epochs(loader: Loader, loops: Iterable[BatchLoop]) -> Iterator[EpochLoop]:
    for batch_loop in loops:
        if not batch_loop.is_single:
            yield from around(loader, batch_loop)


def is_evaluation(loop: BatchLoop) -> bool:
    """Whether a loop only evaluates: no gradient step, and `no_grad`, a model's mode or a name
    that says so.
    """
    if not loop.learns:
        return True
    if loop.takes_gradients:
        return False
    if runs_without_gradients(loop.context, loop.statement, loop.scope):
        return True
    if loop.is_named_for_evaluation or runs_in_eval_mode(loop):
        return True
    if _switches_off(loop) and learns_nothing(loop):
        return True
    return not loop.trains and EVALUATION.search(name_of(loop)) is not None


def _switches_off(loop: BatchLoop) -> bool:
    """Whether a loop switches gradients off for a part of its body; an engine's loop has none of
    its own, but the functions that it calls.
    """
    if loop.body is None or switches_off_inside(loop.body):
        return loop.body is not None
    called = calls_in(loop.body) if loop.is_of_engine else ()
    return any(function_switches_off(s) for call in called for s in callees_of(loop.context, call))


def name_of(loop: BatchLoop) -> str:
    """The names in an iterable: `val_loader` of `enumerate(tqdm(self.val_loader))`.

    What makes a loader that has a name of its own does not count: the name says what it is for.
    """
    made = ex.unnamed(loop.iterable)
    making = {x for m in loop.loaders for x in (m.call, *(f.call for f in m.frame.chain()))}
    is_behind = isinstance(made, ex.Call) and made not in making
    named = [loop.iterable, made] if is_behind else [loop.iterable]
    return "_".join(
        part.name
        for one in named
        for part in walk.walk(one)
        if isinstance(part, ex.Reference | ex.Attribute)
    )


def around(loader: Loader, batch_loop: BatchLoop) -> Iterator[EpochLoop]:
    """The loops that run a batch loop again and again, here or in callers."""
    if batch_loop.outer_loops:
        loop = _epoch(loader.context, batch_loop.outer_loops, batch_loop.scope)
        if loop is not None:
            yield EpochLoop(loop, batch_loop.scope, batch_loop, ())
        return
    if not batch_loop.is_in_generator:
        # what a generator hands on is run by the loops over the generator
        yield from _in_callers(loader, batch_loop, (batch_loop.scope,))


def beyond(loader: Loader, epoch: EpochLoop) -> Iterator[EpochLoop]:
    """The loops that run these epochs again and again, around them or in callers.

    Left out are those of which each round makes the loader, or takes another one.
    """
    loaders = epoch.batch_loop.loaders
    for loop in walk.enclosing_loops(epoch.loop):
        outer = replace(epoch, loop=loop)
        is_chosen = loaders_chosen(loader.context, loop, epoch.scope, loaders)
        if not is_chosen and not outer.makes(loader.made):
            yield outer
    yield from _in_callers(loader, epoch.batch_loop, (*epoch.inside, epoch.scope))


def is_made_beyond(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether each round of a loop around these epochs, here or in callers, makes the loader."""
    outer = [replace(epoch, loop=loop) for loop in walk.enclosing_loops(epoch.loop)]
    outer += _in_callers(loader, epoch.batch_loop, (*epoch.inside, epoch.scope))
    return any(one.makes(loader.made) for one in outer)


def _in_callers(
    loader: Loader, batch_loop: BatchLoop, inside: tuple[Scope, ...]
) -> Iterator[EpochLoop]:
    """Loops around the calls of the function that holds the batch loop."""
    context = loader.context

    # a call is part of many chains
    @cache
    def loops_around(call: ex.Call) -> tuple[Loop, ...]:
        return tuple(
            loop
            for loop in walk.enclosing_loops(call.statement)
            if not loaders_chosen(context, loop, call.scope, batch_loop.loaders)
        )

    @cache
    def hands_on(call: ex.Call) -> bool:
        return _hands_on(loader, call) or _is_held_by(loader, batch_loop, call)

    def goes_on(call: ex.Call) -> bool:
        return hands_on(call) and call.scope not in inside and not loops_around(call)

    for *before, call in chains_to(context, inside[-1], goes_on):
        if hands_on(call) and call.scope not in inside:
            loop = _epoch(context, loops_around(call), call.scope)
            if loop is not None:
                way = (*inside, *(c.scope for c in before))
                yield EpochLoop(loop, call.scope, batch_loop, way)


def _frames_of(loader: Loader, scope: Scope) -> list[CallContext]:
    """The calls of a function that hand on a loader, where others hand on other loaders."""
    frames = loader.context.evaluator.callers(scope)
    handing = [f for f in frames if f.call is None or _hands_on(loader, f.call)]
    return handing if 0 < len(handing) < len(frames) else [loader.context.solver.root(scope)]


def _hands_on(loader: Loader, call: ex.Call) -> bool:
    """Whether a call that has loaders among its arguments has this one, or comes to make it."""
    given = loader.context[LoadersGiven].to(call)
    return not given or loader.made in given or _comes_to_make(loader, call)


def _is_held_by(loader: Loader, loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a call is one of an object, or is given one, that holds the loader for a loop.

    The loop reads it there: `self.loader`.
    """
    owner = [call.function.value] if isinstance(call.function, ex.Attribute) else []
    context, given = loader.context, (*owner, *(argument.value for argument in call.arguments))
    values = (value for one in given for value in context.values(one, call.scope))
    objects = [value for value in values if attributes.project_class(value) is not None]
    read = [p.name for p in parts_gone_through(loop.iterable) if isinstance(p, ex.Attribute)]
    nodes = [context.solver.member(one, name) for one in objects for name in read]
    context.solver.settle()
    held = (value for node in nodes for value in node.values)
    return any(
        loader.made in (*members(context.solver, v), *iterated(context.solver, v)) for v in held
    )


def _comes_to_make(loader: Loader, call: ex.Call) -> bool:
    """Whether a call makes a loader inside, as far out as is told apart where it is made."""
    made_by = [loader.made.call, *(f.call for f in loader.made.frame.chain() if f.call)]
    return call in made_by or made_by[-1].scope in loader.context[_Entered].of(call)


class _Entered:
    """The functions that calls enter: of each call they are asked for loader by loader."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[ex.Call, frozenset[Scope]] = {}

    def of(self, call: ex.Call) -> frozenset[Scope]:
        """Those that one call enters."""
        if call not in self._known:
            self._known[call] = frozenset(entered_by(self._context, [call]))
        return self._known[call]


def _epoch(context: AnalysisContext, loops: tuple[Loop, ...], scope: Scope) -> Loop | None:
    """The nearest loop that runs more than once."""
    return next((loop for loop in loops if not runs_once(context, loop, scope)), None)


def statement_name(statement: Statement) -> str:
    """The single name that a loop binds, or an empty string."""
    if isinstance(statement, Loop) and len(statement.definitions) == 1:
        return statement.definitions[0].name
    return ""


def counts(loop: Loop) -> bool:
    """Whether a loop's variable is an integer counter."""
    return isinstance(loop.source, ex.Call) and loop.source.name in _COUNTERS
