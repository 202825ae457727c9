"""Iterators of loaders that are made anew for each batch, or run out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.call_paths import chains_to, entered_by
from dlint.analyses.control.entered_runs import is_made_for, may_enter, results_before
from dlint.analyses.control.order import is_inside
from dlint.analyses.control.path_tests import (
    always_runs,
    call_always_runs,
    is_optional,
    is_tried,
    runs_each_round,
)
from dlint.analyses.control.rounds import runs_once
from dlint.analyses.property_reads import property_reads
from dlint.analyses.repetition import contains
from dlint.analyses.running_calls import calls_named
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, If, Loop, Scope, Statement
from dlint.library_facts.entry_names import CACHING_DECORATORS
from dlint.model.data.endless_iterators import never_ends
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import (
    GRADIENT_STEPS,
    batch_loops,
    calls_any,
    loaders_chosen,
    names_any,
)
from dlint.model.loops.gone_through import iterated
from dlint.model.loops.gradients import runs_without_gradients
from dlint.model.machines.timing import is_timed
from dlint.model.samplers.index_order import makes_sampler
from dlint.semantics.calls import attributes
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_NEXT = ("next", "__next__")
_ITER = ("iter", "__iter__")
_COUNTS_THROUGH = frozenset({"enumerate", "tqdm", "range", "len"})


class Restart(NamedTuple):
    """`next(iter(loader))`, run again at every step of a training loop."""

    call: ex.Call
    loop: Loop
    scope: Scope
    """The function that the loop stands in: the call's own, or one that calls it."""
    loader: Loader

    @property
    def place(self) -> Place:
        """Where the iterator is made and read."""
        return self.loader.context.place_of(self.call)

    @property
    def loop_place(self) -> Place:
        """The header of the loop."""
        return Place(self.scope.module.path, *self.loop.header)

    @property
    def learns(self) -> bool:
        """Whether the loop takes gradient steps, and not where gradients are off."""
        context, call = self.loader.context, self.call
        if not calls_any(context, self.loop.body, GRADIENT_STEPS):
            return False
        return not runs_without_gradients(context, call.statement, call.scope)


class Overrun(NamedTuple):
    """`next(it)` in a loop over all batches of a loader, which stands in another loop."""

    call: ex.Call
    made: ex.Call
    loop: Loop
    outer: Loop
    scope: Scope
    """The function that the outer loop stands in: the call's own, or one that calls it."""
    loader: Loader

    @property
    def place(self) -> Place:
        """Where the iterator is read."""
        return self.loader.context.place_of(self.call)

    @property
    def made_place(self) -> Place:
        """Where the iterator is made, once."""
        return self.loader.context.place_of(self.made)

    @property
    def outer_place(self) -> Place:
        """The header of the outer loop."""
        return Place(self.scope.module.path, *self.outer.header)


def restarts(context: AnalysisContext) -> Iterator[Restart]:
    """Where a training loop makes an iterator for each batch."""
    for call in calls_named(context, *_NEXT):
        made = _iterator(call)
        if made is None:
            continue
        loaders = _loaders_of(context, made)
        for loop, scope, inside in _loops_around(context, call, made) if loaders else ():
            chosen = loaders_chosen(context, loop, scope, loaders)
            renewed = any(_is_made_in(one, loop, inside) for one in loaders)
            loader = context[Loaders].of(_first(loaders))
            if chosen or renewed or not _goes_by_steps(loader, loop, scope):
                continue
            if not _is_meant(loader):
                yield Restart(call, loop, scope, loader)
                break


def overruns(context: AnalysisContext) -> Iterator[Overrun]:
    """Where an iterator is read to its end by one round of a loop, and read on by the next."""
    for call in calls_named(context, *_NEXT):
        made = _iterator_over_calls(context, call) if len(call.arguments) < 2 else None
        if made is None or is_tried(call.statement):
            continue
        loaders = _loaders_of(context, made)
        loop = next(walk.enclosing_loops(call.statement), None)
        if len(loaders) != 1 or loop is None or not runs_each_round(call, loop):
            continue
        loader = context[Loaders].of(_first(loaders))
        if is_inside(made.statement, loop) or not _counts_batches(
            context, loop, call.scope, loader.made
        ):
            continue
        for outer, scope in _rounds_of_one(context, loop, call.scope, made):
            if not runs_once(context, outer, scope):
                yield Overrun(call, made, loop, outer, scope, loader)
                break


def _rounds_of_one(
    context: AnalysisContext, loop: Loop, scope: Scope, made: ex.Call
) -> Iterator[tuple[Loop, Scope]]:
    """The loops around a loop, or else around the calls that lead to its function from where one
    iterator is made before.
    """
    around = next(walk.enclosing_loops(loop), None)
    if around is not None:
        yield from [] if is_inside(made.statement, around) else [(around, scope)]
        return
    for chain in _chains(context, scope, made):
        outer = next(((x, c.scope) for c in chain for x in walk.enclosing_loops(c.statement)), None)
        if outer is not None and not is_inside(made.statement, outer[0]):
            yield outer


def _chains(context: AnalysisContext, scope: Scope, made: ex.Call) -> Iterator[tuple[ex.Call, ...]]:
    """The calls that lead to a function from the one that makes an iterator, none of them tried."""
    if made.scope is scope:
        return
    for chain in chains_to(context, scope, lambda call: call.scope is not made.scope):
        if chain[-1].scope is made.scope and not any(is_tried(call.statement) for call in chain):
            yield chain


def _is_made_in(made: AllocationSite, loop: Loop, inside: tuple[Scope, ...]) -> bool:
    """Whether the loader is new for each round too: made in the loop, or in what the loop calls."""
    steps = [made.call, *(frame.call for frame in made.frame.chain() if frame.call is not None)]
    return any(is_inside(call.statement, loop) or call.scope in inside for call in steps)


def _is_meant(loader: Loader) -> bool:
    """Whether beginning anew may be what is wanted: all data in one batch, or no end of data."""
    size = loader.given("batch_size")
    if size is not None and any(_is_length(part) for part in _parts(size[0])):
        return True
    if not loader.workers_absent:
        return False
    if not makes_sampler(loader):
        return True
    classes = (attributes.project_class(value) for value in loader.values("dataset"))
    streams = (c.methods.get("__iter__") for c in classes if c is not None)
    return any(never_ends(stream) for stream in streams if stream is not None)


def _parts(expression: ex.Expression) -> Iterator[ex.Expression]:
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        expression = expression.definition.value
    return walk.walk(expression)


def _is_length(part: ex.Expression) -> bool:
    name = part.name if isinstance(part, ex.Call | ex.Attribute) else None
    return name in ("len", "shape", "size", "__len__")


def _first(loaders: frozenset[AllocationSite]) -> AllocationSite:
    return min(loaders, key=lambda made: (made.call.scope.module.path, made.call.span))


def _iterator(call: ex.Call) -> ex.Call | None:
    """The one `iter(…)` whose result a call of `next` is given."""
    source = _read_from(call)
    return None if source is None else _made_by_iter(origin_of(source))


def _iterator_over_calls(context: AnalysisContext, call: ex.Call) -> ex.Call | None:
    """The same, where the function of the call may be handed the iterator."""
    source, root = _read_from(call), context.solver.root(call.scope)
    return None if source is None else _made_by_iter(origin_over_calls(context, source, root)[0])


def _read_from(call: ex.Call) -> ex.Expression | None:
    if call.name == "__next__" and isinstance(call.function, ex.Attribute):
        return call.function.value
    return written(call, 0)


def _made_by_iter(source: ex.Expression) -> ex.Call | None:
    return source if isinstance(source, ex.Call) and source.name in _ITER else None


def _loaders_of(context: AnalysisContext, made: ex.Call) -> OrderedSet[AllocationSite]:
    values = context.values(made, made.scope)
    return OrderedSet(loader for value in values for loader in iterated(context.solver, value))


def _loops_around(
    context: AnalysisContext, call: ex.Call, made: ex.Call
) -> Iterator[tuple[Loop, Scope, tuple[Scope, ...]]]:
    """The innermost loops that run both the call and the making of its iterator, each time.

    With each, the function that it stands in, and those that its rounds enter on the way.
    """
    loop = next(walk.enclosing_loops(call.statement), None)
    if loop is not None:
        if _is_in_each(call, loop) and _is_in_each(made, loop):
            yield loop, call.scope, ()
        return
    if made.scope is not call.scope or not _is_plain_function(call.scope):
        return
    always = all(_hands_on(one) and not results_before(one) for one in (call, made))

    def enters(entering: ex.Call) -> bool:
        if always:
            return may_enter(context, entering, call.scope)
        return all(is_made_for(context, one, entering) for one in (call, made))

    yield from _loops_of_callers(context, call.scope, (call.scope,), enters)
    for read in property_reads(context, call.scope) if always else ():
        loop = next(walk.enclosing_loops(read.statement), None)
        block = read.scope.body if loop is None else loop.body
        if not read.is_certain or not always_runs(read.statement, block):
            continue
        if loop is not None:
            yield loop, read.scope, (call.scope,)
        elif _is_plain_function(read.scope):
            yield from _loops_of_callers(context, read.scope, (call.scope, read.scope))


def _loops_of_callers(
    context: AnalysisContext,
    scope: Scope,
    inside: tuple[Scope, ...],
    enters: Callable[[ex.Call], bool] = lambda _: True,
) -> Iterator[tuple[Loop, Scope, tuple[Scope, ...]]]:
    """The loops that enter a function in each round, itself or by what they call.

    `enters` says which calls of the function count.
    """
    for chain in chains_to(context, scope, _hands_on):
        *before, caller = chain
        loop = next(walk.enclosing_loops(caller.statement), None)
        if loop is not None and _is_in_each(caller, loop) and enters(chain[0]):
            yield loop, caller.scope, (*inside, *(one.scope for one in before))


def _is_plain_function(scope: Scope) -> bool:
    """Whether each call of a function runs it: it is neither cached nor a generator."""
    plain = scope.kind == "function" and not scope.yields
    return plain and CACHING_DECORATORS.isdisjoint(attributes.decorators(scope))


def _hands_on(call: ex.Call) -> bool:
    """Whether a function makes a call once whenever it is entered."""
    if not _is_plain_function(call.scope) or any(walk.enclosing_loops(call.statement)):
        return False
    return call_always_runs(call, call.scope.body, unless_left=True)


def _is_in_each(call: ex.Call, loop: Loop) -> bool:
    """Whether each round makes a call, or each of a run that an option asks for it in.

    A round that is left before takes no batch either.
    """
    return runs_each_round(call, loop, unless_left=True) or _is_on_option(call, loop)


def _is_on_option(call: ex.Call, loop: Loop) -> bool:
    """Whether only tests of what is the same in all rounds decide on a call in a loop's body."""
    if next(walk.enclosing_loops(call.statement), None) is not loop or is_optional(call):
        return False
    statement: Statement = call.statement
    while statement.block is not loop.body:
        owner = statement.block.owner
        if not isinstance(owner, If) or not _is_option(owner.test, loop):
            return False
        statement = owner
    return True


def _is_option(test: ex.Expression, loop: Loop) -> bool:
    """Whether a test reads an attribute of what was bound before a loop, which nobody writes."""
    source = ex.unnamed(test)
    if isinstance(source, ex.Unary):
        source = source.operand
    if not isinstance(source, ex.Attribute) or not isinstance(source.value, ex.Reference):
        return False
    name, definition = source.name, source.value.definition
    if definition is None or source.value.name == "self":
        return False
    stores = (x.target for x in definition.scope.stores)
    written = any(isinstance(t, ex.Attribute) and t.name == name for t in stores)
    return not written and not contains(loop.span, definition.span)


def _takes_gradients(context: AnalysisContext, block: Block) -> bool:
    """Whether a block takes gradients itself: a loop inside it has batches of its own."""
    calls = list(_calls_outside_loops(block))

    def inner(scope: Scope) -> Iterator[ex.Call]:
        return _calls_outside_loops(scope.body)

    entered = entered_by(context, calls, inner=inner)
    return names_any(calls, GRADIENT_STEPS) or any(
        names_any(inner(scope), GRADIENT_STEPS) for scope in entered
    )


def _goes_by_steps(loader: Loader, loop: Loop, scope: Scope) -> bool:
    """Whether a loop goes by single batches: it learns from each, or starts workers for each alone.

    A loop that learns elsewhere, or goes through a loader too, looks at one batch an epoch.
    """
    context = loader.context
    if _takes_gradients(context, loop.body):
        return True
    if (
        loader.workers.positive is None
        or not loader.drops_workers
        or runs_once(context, loop, scope)
    ):
        return False
    looped = any(
        other.scope is scope
        and isinstance(other.statement, Loop)
        and is_inside(other.statement, loop)
        for other in context[batch_loops]
    )
    learns = looped or calls_any(context, loop.body, GRADIENT_STEPS)
    return not learns and not is_timed(loader, scope)


def _calls_outside_loops(block: Block) -> Iterator[ex.Call]:
    for statement in block.statements:
        for expression in walk.expressions(statement):
            yield from (p for p in walk.walk(expression) if isinstance(p, ex.Call))
        if not isinstance(statement, Loop):
            for inner in walk.blocks(statement):
                yield from _calls_outside_loops(inner)


def _counts_batches(
    context: AnalysisContext, loop: Loop, scope: Scope, loader: AllocationSite
) -> bool:
    """Whether a loop runs over `range(len(loader))`."""
    counted = loop.iterable
    names = []
    frame = context.solver.root(scope)
    if counted is not None:
        counted, frame = origin_over_calls(context, counted, frame)
    while isinstance(counted, ex.Call) and counted.name in _COUNTS_THROUGH and counted.arguments:
        names.append(counted.name)
        given = counted.arguments[-1 if counted.name == "range" else 0].value
        counted, frame = origin_over_calls(context, given, frame)
    if counted is None or names[-2:] != ["range", "len"]:
        return False
    return context.solver.values(counted, frame) == {loader}
