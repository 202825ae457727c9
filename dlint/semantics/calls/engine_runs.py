"""Runs of engines: which functions of the project an engine calls for the batches of a loader.

Question: what does `trainer.run(loader)` enter, and which such calls enter a function? Followed:
engines of `library_facts.engines` wherever a value holds them, what their constructor is given for
each batch, functions, methods and partials, and the handlers that are decorated with one of their
events or added to it. Each run is written out as loops (`written_runs`), of which the functions are
called. Given up on: classes of the project that derive an engine, handlers of filtered events, runs
that are given their data by `*` or `**`. Nothing is watched unless the project speaks of such a
library. Bounded by the solver's budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Define, Scope
from dlint.library_facts.engines import ENGINES, METHODS, PACKAGES, Engine, Moment
from dlint.semantics.calls import arguments
from dlint.semantics.calls.binding import (
    BoundArgument,
    BoundArguments,
    bind,
    library_signature,
    through_partial,
)
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.calls.written_runs import WrittenRun, written_run
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    AllocationSite,
    FunctionObject,
    Method,
    Partial,
    Value,
    library_path,
)

_SIGNATURES = {path: engine.constructor for path, engine in ENGINES.items()}


class Entry(NamedTuple):
    """A call that a run stands for, with what it hands to a function."""

    call: ex.Call
    passed: CallArguments
    receiver: Value | None


Tell = Callable[[Entry], None]


class _Handler(NamedTuple):
    """A function that handles events, and what it is given beside the engine."""

    function: Value
    moment: Moment
    given: CallArguments


class EngineRuns:
    """Finds the runs of engines; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._written: dict[ex.Call, WrittenRun | None] = {}
        self._entered: defaultdict[Scope, list[Entry]] = defaultdict(list)
        self._callees: defaultdict[ex.Call, dict[Scope, None]] = defaultdict(dict)
        self._sought: defaultdict[Scope, list[Tell]] = defaultdict(list)
        self._runs: defaultdict[Value, list[WrittenRun]] = defaultdict(list)
        self._handlers: defaultdict[Value, list[_Handler]] = defaultdict(list)
        self._waiting: list[ex.Call] = []
        """Calls of methods that engines have, not watched yet."""
        self._heard = 0

    def seek(self, scope: Scope, tell: Tell) -> None:
        """Tell of each call that enters a function, known now or found later."""
        self.hear()
        self._sought[scope].append(tell)
        for entry in tuple(self._entered.get(scope, ())):
            tell(entry)

    def run(self, call: ex.Call) -> WrittenRun | None:
        """What a call stands for that runs an engine; None for other calls."""
        self._settle(call)
        return self._written.get(call)

    def callees(self, call: ex.Call) -> tuple[Scope, ...]:
        """The functions of the project that a call which runs an engine enters."""
        self._settle(call)
        return tuple(self._callees.get(call, ()))

    def _settle(self, call: ex.Call) -> None:
        if call.name in METHODS:
            self.hear()
            if self._speaks:
                self._solver.settle()

    def hear(self) -> None:
        """Look into the modules that were loaded since."""
        project = self._solver.project
        while self._heard < len(project.loaded):
            facts = project.loaded[self._heard]
            self._heard += 1
            self._waiting += [c for name in sorted(METHODS) for c in facts.calls.get(name, ())]
        while self._waiting and self._speaks:
            self._watch(self._waiting.pop(0))

    @cached_property
    def _speaks(self) -> bool:
        """Whether a file of the project, loaded or not, speaks of a library that has engines."""
        return self._solver.project.speaks_of(PACKAGES)

    def _watch(self, call: ex.Call) -> None:
        if isinstance(call.function, ex.Attribute):
            made = self._solver.evaluate(call.function.value, self._solver.root(call.scope))
            self._solver.watch(made, lambda value: self._called_on(call, value))

    def _called_on(self, call: ex.Call, value: Value) -> None:
        """A method is called on some value."""
        engine = ENGINES.get(library_path(value))
        if engine is None or not isinstance(value, AllocationSite):
            return
        if call.name == engine.run:
            self._run(call, engine, value)
        else:
            self._handle(call, engine, value)

    # -- what is run

    def _run(self, call: ex.Call, engine: Engine, made: AllocationSite) -> None:
        """An engine is run."""
        if call not in self._written:
            self._written[call] = written_run(call, engine, self._solver.root(call.scope))
        run = self._written[call]
        if run is None:
            return
        self._runs[made].append(run)
        for handler in tuple(self._handlers[made]):
            self._attach(run, handler)
        if engine.own_step is not None:
            run.take(engine.own_step)
        found = arguments.construction(self._solver, made, _SIGNATURES)
        if found is not None:
            bound = bind(found[0], library_signature(found[1]))
            step = self._solver.node(
                ("step", made), lambda node: _give(self._solver, bound[engine.step], node)
            )
            passed = self._passed(run, engine, bound)
            self._solver.watch(step, lambda value: self._step(run, value, passed))

    def _passed(self, run: WrittenRun, engine: Engine, made_with: BoundArguments) -> CallArguments:
        """What the function for each batch is called with."""
        frame, span = self._solver.root(run.call.scope), run.call.span
        given = CallArguments.of(run.step_arguments, frame)
        if engine.own_step is None:
            return given
        handed = [
            (ex.Argument(span, value, name), context)
            for name, default in engine.handed.items()
            for value, context in [_handed(made_with[name], span, default, frame)]
        ]
        return CallArguments((*given.arguments[1:], *handed))

    def _step(self, run: WrittenRun, function: Value, passed: CallArguments) -> None:
        """What an engine was given to call for each batch may be some value."""
        run.has_step |= isinstance(function, FunctionObject | Method | Partial)
        self._enter(run, Moment.BATCH, function, passed)

    # -- what handles its events

    def _handle(self, call: ex.Call, engine: Engine, made: AllocationSite) -> None:
        """A handler is given to an engine."""
        moments, frame = sorted(_moments(call, engine), key=str), self._solver.root(call.scope)
        if call.name == engine.decorator:
            for scope in _decorated(call):
                self._add(made, FunctionObject(scope, None), moments, CallArguments(()))
            return
        passed = CallArguments.of(call.arguments, frame)
        given = passed.positional() or []
        if len(given) > 1:
            rest = CallArguments(tuple(given[2:]))
            function = self._solver.evaluate(given[1][0].value, frame)
            self._solver.watch(function, lambda value: self._add(made, value, moments, rest))

    def _add(
        self, made: AllocationSite, function: Value, moments: list[Moment], given: CallArguments
    ) -> None:
        for moment in moments:
            handler = _Handler(function, moment, given)
            self._handlers[made].append(handler)
            for run in tuple(self._runs[made]):
                self._attach(run, handler)

    def _attach(self, run: WrittenRun, handler: _Handler) -> None:
        engine = CallArguments.of(run.step_arguments[:1], self._solver.root(run.call.scope))
        passed = CallArguments((*engine.arguments, *handler.given.arguments))
        self._enter(run, handler.moment, handler.function, passed)

    # -- what is entered

    def _enter(
        self, run: WrittenRun, moment: Moment, function: Value, passed: CallArguments
    ) -> None:
        """A run calls what some value stands for."""
        match function:
            case FunctionObject():
                self._tell(run, moment, function.scope, Entry(run.call, passed, None))
            case Method():
                self._tell(run, moment, function.scope, Entry(run.call, passed, function.receiver))
            case Partial():
                bound = self._solver.passed[function]
                merged = through_partial(bound, passed.arguments)
                inner, frame = bound.arguments[0]
                self._solver.watch(
                    self._solver.evaluate(inner.value, frame),
                    lambda value: self._enter_behind(run, moment, value, merged),
                )

    def _enter_behind(
        self, run: WrittenRun, moment: Moment, function: Value, passed: CallArguments
    ) -> None:
        """The same, of what a partial binds: one that binds another one is given up on."""
        if not isinstance(function, Partial):
            self._enter(run, moment, function, passed)

    def _tell(self, run: WrittenRun, moment: Moment, scope: Scope, entry: Entry) -> None:
        passed = entry.passed if _takes_any(scope, entry) else CallArguments(())
        given = _in_call(run.call, passed, self._solver.root(run.call.scope))
        entry = entry._replace(call=run.calling(scope, moment, given), passed=passed)
        self._callees[run.call][scope] = None
        self._entered[scope].append(entry)
        for tell in tuple(self._sought.get(scope, ())):
            tell(entry)


def _give(solver: Solver, bound: BoundArgument, node: ConstraintNode) -> None:
    arguments.give(solver, bound, node)


def _handed(
    bound: BoundArgument, span: Span, default: bool | None, frame: CallContext
) -> tuple[ex.Expression, CallContext]:
    """What is handed on of an argument: its default where nothing may give it."""
    if bound.expression is not None:
        return bound.expression
    return ex.Constant(span, default) if bound.is_absent else ex.Opaque(span), frame


def _in_call(run: ex.Call, passed: CallArguments, frame: CallContext) -> tuple[ex.Argument, ...]:
    """Arguments as they can stand where an engine is run, nothing of it written elsewhere."""
    return tuple(
        argument
        if context is frame
        else ex.Argument(run.span, ex.Opaque(run.span), argument.keyword, argument.star)
        for argument, context in passed.arguments
    )


def _takes_any(scope: Scope, entry: Entry) -> bool:
    """Whether a function takes anything: a handler need not take the engine."""
    return len(scope.parameters) > (entry.receiver is not None)


def _decorated(call: ex.Call) -> Iterator[Scope]:
    """The functions that a call decorates."""
    defined = call.statement.definitions if isinstance(call.statement, Define) else ()
    for value in (definition.value for definition in defined):
        if isinstance(value, ex.FunctionValue) and call in value.function.decorators:
            yield value.function


def _moments(call: ex.Call, engine: Engine) -> set[Moment]:
    """When the events fire that a call names; of one that is filtered nobody knows how often."""
    given = (ex.unnamed(a.value) for a in call.arguments[:1] if not a.star)
    parts = [part for event in given for part in walk.walk(event)]
    if any(isinstance(part, ex.Call) for part in parts):
        return set()
    named = (part.name for part in parts if isinstance(part, ex.Attribute))
    return {engine.events[name] for name in named if name in engine.events}
