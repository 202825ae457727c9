"""Batch loops: where loaders are iterated, how often, and what for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.control.call_paths import calls_below, leading_to, on_every_path
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.failures import is_out_of_reach
from dlint.analyses.control.path_tests import handles_exception
from dlint.analyses.guards import is_left_out
from dlint.analyses.value_parts import parts_gone_through
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Evaluate, Jump, Loop, Return, Scope, Statement
from dlint.ir.remembering import remembered
from dlint.model.loading.feeding import may_feed
from dlint.model.loops.given_loaders import may_come
from dlint.model.loops.gone_through import gone_through, iterated, members
from dlint.model.loops.iterating_code import asking_calls, going_through
from dlint.model.loops.relays import begun_by
from dlint.semantics.calls.engine_runs import EngineRuns
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import (
    AllocationSite,
    Container,
    Zipped,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

GRADIENT_STEPS = frozenset({"backward", "manual_backward", "backward_pass"})
"""Calls that take a gradient."""
EVALUATION = lazily(r"(^|_)(val(?!ue)|eval|test|dev(?!ice)|infer|pred)", re.I)
_TRIAL = lazily(r"dry_?run|debug|smoke|sanity|fast_dev", re.I)


@dataclass(eq=False)
class BatchLoop:
    """One place where loaders are iterated.

    `statement` is the loop, or the statement that asks for one batch (`next(it)`) or holds a
    comprehension; `is_single` says that only one batch is asked for there.
    """

    context: AnalysisContext
    statement: Statement
    scope: Scope
    loaders: OrderedSet[AllocationSite]
    iterable: ex.Expression
    is_single: bool = False
    comprehension: ex.Comprehension | None = None
    learns: bool = True
    """False where tests keep it from every gradient step, as long as it goes over these loaders."""
    begins_only: bool = False
    """Whether it only makes an iterator, again and again: `iter(loader)`, read elsewhere.

    Its body is that of the loop around, or of the function, where a caller's loop runs that.
    """
    is_of_engine: bool = False
    """Whether a library's engine makes it: a call of the engine stands at its place."""

    @property
    def body(self) -> Block | None:
        """What runs for each batch."""
        if self.comprehension is not None:
            inside = self.statement
            return Block([Evaluate(inside.span, self.comprehension, inside.block)])
        if isinstance(self.statement, Loop) and not self.is_single:
            return self.statement.body
        around = next(walk.enclosing_loops(self.statement), None)
        if around is None:
            return self.scope.body if self.begins_only else None
        return around.body

    @property
    def place(self) -> Place:
        """The header of the loop, or the whole statement that reads batches."""
        statement = self.statement
        span = statement.header if isinstance(statement, Loop) else statement.span
        return Place(self.scope.module.path, *span)

    @property
    def is_in_generator(self) -> bool:
        """Whether its function yields: batches may go on to loops elsewhere."""
        return bool(self.scope.yields)

    @property
    def hands_on(self) -> bool:
        """Whether batches go on to loops elsewhere: its function yields, or asks for one and ends,
        as the `__next__` of an object that begins a loader anew whenever it has ended."""
        is_looped = self.body is not None and self.body is not self.scope.body
        return self.is_in_generator or not is_looped

    def goes_through(self, generator: Scope) -> bool:
        """Whether what is iterated is, or hands on, what a generator of the project yields."""
        solver = self.context.solver
        values = self.context.values(self.iterable, self.scope)
        parts = (part for value in values for part, _ in gone_through(solver, value))
        begun = (begun_by(solver, part) for part in parts)
        return any(one is not None and one.scope is generator for one in begun)

    @property
    def is_restart(self) -> bool:
        """Whether the loader is begun anew here because it has ended: `except StopIteration`."""
        return handles_exception(self.statement)

    @cached_property
    def takes_gradients(self) -> bool:
        """Whether its own body takes a gradient step for each batch."""
        if self.body is None or not self.learns:
            return False
        return names_any(calls_in(self.body), GRADIENT_STEPS)

    @cached_property
    def trains(self) -> bool:
        """Whether a gradient step is taken for each batch."""
        if self.body is None or not self.learns:
            return False
        return calls_any(self.context, self.body, GRADIENT_STEPS)

    @property
    def uses_batches(self) -> bool:
        """Whether its body names what it takes from the loader; a loop that is none may."""
        if not isinstance(self.statement, Loop) or self.is_single:
            return True
        names = {definition.name for definition in self.statement.definitions}
        return any(
            isinstance(part, ex.Reference) and part.name in names
            for part in walk.parts_with_lambdas(self.statement.body)
        )

    @property
    def stops_early(self) -> bool:
        """Whether `islice`, or a `break` in its body, may leave batches unread in a real run."""
        return self._goes_through_part or any(not _is_for_trial(s) for s in self._leaving)

    @property
    def stops_early_by_default(self) -> bool:
        """The same of a run without the options that are off by default."""
        root = self.context.solver.root(self.scope)
        return self._goes_through_part or any(
            not (_is_for_trial(s) or is_left_out(self.context, root, s.span)) for s in self._leaving
        )

    @property
    def _goes_through_part(self) -> bool:
        parts = parts_gone_through(self.iterable)
        return any(isinstance(part, ex.Call) and part.name == "islice" for part in parts)

    @property
    def _leaving(self) -> Iterator[Statement]:
        """The statements of its body that leave the loop."""
        for s in () if self.body is None else walk.statements(self.body):
            if isinstance(s, Return) or (isinstance(s, Jump) and s.kind == "break"):
                yield s

    @property
    def is_paired(self) -> bool:
        """Whether it goes through something else beside, and ends with the shortest: `zip`."""
        parts = parts_gone_through(self.iterable)
        zipped = (p.arguments for p in parts if isinstance(p, ex.Call) and p.name == "zip")
        return any(len(given) > 1 or any(a.star for a in given) for given in zipped)

    @property
    def evaluates(self) -> bool:
        """Whether names and absence of a gradient step say that this is evaluation."""
        return not self.trains and self.is_named_for_evaluation

    @cached_property
    def is_named_for_evaluation(self) -> bool:
        """Whether its function has a name that says so; or it trains nothing, by name and body,
        and only functions of such names come to it.
        """
        if EVALUATION.search(self.scope.name) is not None:
            return True
        if self.trains or "train" in self.scope.name.lower():
            return False
        return bool(on_every_path(self.context, self.scope, _from_evaluation))

    @cached_property
    def outer_loops(self) -> tuple[Loop, ...]:
        """Loops around it in its own scope that do not choose the loader, from the inside out."""
        loops = walk.enclosing_loops(self.statement)
        if self.is_single:
            next(loops, None)
        return tuple(
            loop
            for loop in loops
            if not loaders_chosen(self.context, loop, self.scope, self.loaders)
        )


def _from_evaluation(call: ex.Call) -> tuple[ex.Call, ...]:
    return (call,) if EVALUATION.search(call.scope.name) is not None else ()


def _is_for_trial(statement: Statement) -> bool:
    """Whether a statement runs only where a flag asks for a short trial of the program."""
    return any(
        _TRIAL.search(part.name)
        for test, truth in walk.tests(statement)
        for part in walk.walk(test)
        if truth and isinstance(part, ex.Reference | ex.Attribute)
    )


def loaders_chosen(
    context: AnalysisContext, loop: Loop, scope: Scope, loaders: frozenset[AllocationSite]
) -> bool:
    """Whether a loop runs over several loaders, these among them, one after the other."""
    if loop.iterable is None:
        return False
    found = context.values(loop.iterable, scope)
    return any(
        isinstance(v, Container | Zipped) and loaders & members(context.solver, v) for v in found
    )


def batch_loops(context: AnalysisContext) -> tuple[BatchLoop, ...]:
    """Every place where a loader is iterated, in the order of modules and places."""
    return tuple(x for x in _batch_loops(context) if not is_out_of_reach(context, x.scope))


def _batch_loops(context: AnalysisContext) -> Iterator[BatchLoop]:
    for scope in context.reached():
        for statement in going_through(scope):
            if not is_dead(statement):
                yield from _of_statement(context, statement, scope)
        for call in (c for c in asking_calls(scope) if not is_dead(c.statement)):
            if call.name in ("next", "__next__"):
                yield from _of_next(context, call)
            elif call.name == "iter":
                yield from _of_restart(context, call)
            elif (run := context.solver[EngineRuns].run(call)) is not None:
                for loop in _of_statement(context, run.batches, scope):
                    yield replace(loop, is_of_engine=True)


def _of_statement(
    context: AnalysisContext, statement: Statement, scope: Scope
) -> Iterator[BatchLoop]:
    if isinstance(statement, Loop) and statement.iterable is not None:
        yield from _over(context, statement, scope, statement.iterable)
    for expression in walk.expressions(statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Comprehension):
                for iterable in part.iterables:
                    yield from _over(context, statement, scope, iterable, part)
            elif isinstance(part, ex.Yield) and part.delegates and part.value is not None:
                yield from _over(context, statement, scope, part.value)


def _of_restart(context: AnalysisContext, call: ex.Call) -> Iterator[BatchLoop]:
    """`iter(loader)` in a loop, its function's or a caller's: the loader is begun anew there."""
    source = written(call, 0)
    if source is not None:
        for loop in _over(context, call.statement, call.scope, source):
            if _is_run_again(context, call):
                yield replace(loop, begins_only=True)


def _is_run_again(context: AnalysisContext, call: ex.Call) -> bool:
    leading = chain([call], leading_to(context, call.scope))
    return any(any(walk.enclosing_loops(one.statement)) for one in leading)


def _over(
    context: AnalysisContext,
    statement: Statement,
    scope: Scope,
    iterable: ex.Expression,
    comprehension: ex.Comprehension | None = None,
) -> Iterator[BatchLoop]:
    if _is_plain(iterable):
        return
    loaders = _coming(context, iterable, scope)
    if isinstance(statement, Loop) and iterable is statement.iterable:
        loaders = OrderedSet(m for m in loaders if may_feed(context, m, statement, scope))
    if loaders:
        yield BatchLoop(context, statement, scope, loaders, iterable, comprehension=comprehension)


def _of_next(context: AnalysisContext, call: ex.Call) -> Iterator[BatchLoop]:
    source = written(call, 0)
    if isinstance(call.function, ex.Attribute):
        source = call.function.value
    if source is None or is_self(source, call.scope):
        return  # a method asks for its own `next()`: that one asks the loader
    loaders = _coming(context, source, call.scope)
    if loaders:
        yield BatchLoop(context, call.statement, call.scope, loaders, source, is_single=True)


def _coming(
    context: AnalysisContext, iterable: ex.Expression, scope: Scope
) -> OrderedSet[AllocationSite]:
    """The loaders that an iterable gives the batches of, where tests let them come to it."""
    values = context.values(iterable, scope)
    found = OrderedSet(made for value in values for made in iterated(context.solver, value))
    return OrderedSet(m for m in found if may_come(context, m, iterable, scope, iterable.span))


def _is_plain(iterable: ex.Expression) -> bool:
    """Iterables that hold no loader by their look: `range(…)`, displays of constants."""
    if isinstance(iterable, ex.Call):
        callee = iterable.function
        return isinstance(callee, ex.Reference) and callee.name == "range"
    return isinstance(iterable, ex.Constant)


def calls_any(context: AnalysisContext, block: Block, names: frozenset[str]) -> bool:
    """Whether a block calls something of these names, also in the functions that it calls."""
    return names_any(calls_below(context, calls_in(block)), names)


def names_any(calls: Iterable[ex.Call], names: frozenset[str]) -> bool:
    """Whether one of some calls is of something of these names."""
    return any(call.name in names for call in calls)


@remembered(8192)
def calls_in(block: Block) -> tuple[ex.Call, ...]:
    """The calls that a block makes itself, those of nested blocks included."""
    return tuple(part for part in walk.parts(block) if isinstance(part, ex.Call))
