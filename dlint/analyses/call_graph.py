"""Who calls whom among the functions of a project, in this thread and process or in another.

Question: which functions may a call enter or start, and which calls may enter or start a function.
An edge says where the function runs: called in place, in a thread, or in a process of its own.

Followed: what the solver finds for the called expression, over every activation: functions,
methods, the constructor of a class, `__call__` and `forward` of an object, `__next__` by `next(…)`;
functions that are handed on and called there, by the project, by `map` and its like or an
optimizer; targets of threads, processes, pools and executors, their initializers, partials and
`run` of their subclasses.
Given up on: callees that are not known (no edge is guessed), what `join`, `with` and queues order,
and functions that are sent to a pool whose making is not seen. A call is resolved when it is asked
for; walks go as deep as they are told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import (
    behind_partial,
    callable_methods,
    callable_names,
    calls_anywhere,
    calls_to,
    library_callees,
)
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.concurrency import PROCESSES, STARTERS, THREADS, EdgeKind
from dlint.library_facts.engines import METHODS
from dlint.library_facts.streams import calls_first
from dlint.semantics.calls import attributes
from dlint.semantics.calls.callers import Callers
from dlint.semantics.calls.engine_runs import EngineRuns
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import (
    ClassObject,
    External,
    FunctionObject,
    Method,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.ordered_set import OrderedSet

_MOST_PARTIALS = 4
_NEXT_NAME = "next"
_NEXT = f"builtins.{_NEXT_NAME}"
_ENTERING = METHODS | {_NEXT_NAME}
"""Names of calls that enter more than the function that they call."""


IN_PROCESS = frozenset({EdgeKind.CALL, EdgeKind.THREAD})
"""The edges on which a caller and its callee share their memory."""
_ALL = frozenset(EdgeKind)


@dataclass(frozen=True, slots=True)
class Edge:
    """A call, and one function that it may run."""

    call: ex.Call
    callee: Scope
    kind: EdgeKind


class _Callees(NamedTuple):
    """What a call enters by what it calls."""

    values: OrderedSet[Value]
    loaded: int
    """How many modules were loaded."""
    entered: tuple[Scope, ...]
    applies: bool
    """Whether it calls what it is given."""
    are_all: bool
    """Whether it enters nothing else."""


class CallGraph:
    """The edges between the functions of a project, each found when it is asked for."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._named: dict[ex.Call, _Callees] = {}
        """What calls enter, as long as no other value and no other module is known."""
        self._callers: dict[Scope, list[CallContext]] = {}
        self._started: dict[ex.Call, tuple[Edge, ...]] = {}
        self._all: tuple[int, dict[Scope, list[Edge]]] = (0, {})
        """The starts of each function, and how many modules were loaded when they were found."""

    def callees(self, call: ex.Call) -> Sequence[Scope]:
        """The functions of the project that a call may enter in place."""
        values = self._context.values(call.function, call.scope)
        loaded = len(self._context.project.loaded)
        known = self._named.get(call)
        if known is None or known.values is not values or known.loaded != loaded:
            known = self._named[call] = self._found(call, values, loaded)
        return known.entered if known.are_all else [*known.entered, *self._further(call, known)]

    def _found(self, call: ex.Call, values: OrderedSet[Value], loaded: int) -> _Callees:
        """What calling some values enters, as far as these modules tell."""
        entered = tuple(scope for value in ordered(values) for scope in self._entered(value))
        applies = any(isinstance(v, External) and calls_first(v.path) for v in values)
        are_all = not applies and call.name not in _ENTERING
        return _Callees(values, loaded, entered, applies, are_all)

    def _further(self, call: ex.Call, known: _Callees) -> Iterator[Scope]:
        """What a call enters beside that."""
        yield from self._context.solver[EngineRuns].callees(call)
        if call.name == _NEXT_NAME:
            yield from self._asked(call)
        if known.applies:
            yield from self._applied(call)

    def _asked(self, call: ex.Call) -> Iterator[Scope]:
        """The methods `__next__` of the project that `next(x)` enters."""
        given = written(call, 0) if library_callees(self._context, call) == (_NEXT,) else None
        for value in () if given is None else ordered(self._context.values(given, call.scope)):
            cls = attributes.project_class(value)
            method = None if cls is None else self._context.solver.classes.method(cls, "__next__")
            if method is not None:
                yield method

    def _applied(self, call: ex.Call) -> Iterator[Scope]:
        """The functions that `map(f, xs)` enters."""
        given = written(call, 0)
        for value in () if given is None else ordered(self._context.values(given, call.scope)):
            yield from self._entered(value)

    def started(self, call: ex.Call) -> tuple[Edge, ...]:
        """The functions that a call runs in a thread or process, now or when that is started."""
        if call.name not in self._starting_names:
            return ()
        known = self._started.get(call)
        if known is None:
            known = self._started[call] = tuple(dict.fromkeys(self._starts(call)))
        return known

    def edges(self, call: ex.Call) -> Iterator[Edge]:
        """All that a call may run."""
        for callee in self.callees(call):
            yield Edge(call, callee, EdgeKind.CALL)
        yield from self.started(call)

    def callers(self, scope: Scope) -> list[Edge]:
        """The calls in the project that may run a function, each with where it runs."""
        starts = self._all_started.get(scope, ())
        starting = {edge.call for edge in starts}
        calls = dict.fromkeys(f.call for f in self._frames(scope) if f.call is not None)
        if scope.name == "__next__" and scope.owner is not None:
            asking = calls_anywhere(self._context, "next")
            calls |= dict.fromkeys(call for call in asking if scope in self._asked(call))
        entered = [Edge(call, scope, EdgeKind.CALL) for call in calls if call not in starting]
        return [*entered, *starts]

    def _frames(self, scope: Scope) -> list[CallContext]:
        """The activations of a function, which the solver goes on to add to."""
        solver = self._context.solver
        frames = self._callers.get(scope)
        if frames is None:
            frames = self._callers[scope] = []
            solver[Callers].listen(scope, frames.append)
        solver.settle()
        return frames

    # -- what is entered

    def _entered(self, value: Value) -> Iterator[Scope]:
        """The functions that calling a value enters."""
        if isinstance(value, FunctionObject | Method):
            yield value.scope
        elif isinstance(value, ClassObject):
            init = self._context.solver.classes.method(value.cls, "__init__")
            if init is not None:
                yield init
        else:
            yield from callable_methods(self._context, value)

    # -- what is started

    @property
    def _starting_names(self) -> frozenset[str]:
        """The names by which what starts threads and processes is called."""
        return callable_names(self._context, STARTERS.keys()) | {"start"}

    @property
    def _all_started(self) -> dict[Scope, list[Edge]]:
        """Every edge to a function in a thread or process of its own, by the function."""
        size = len(self._context.project.loaded)
        if self._all[0] != size:
            starting = dict.fromkeys(calls_to(self._context, *STARTERS))
            starting |= dict.fromkeys(calls_anywhere(self._context, "start"))
            edges = defaultdict(list)
            for edge in (edge for call in starting for edge in self.started(call)):
                edges[edge.callee].append(edge)
            self._all = size, edges
        return self._all[1]

    def _starts(self, call: ex.Call) -> Iterator[Edge]:
        if call.name == "start":
            yield from self._runs(call)
            return
        starters = [STARTERS[p] for p in library_callees(self._context, call) if p in STARTERS]
        for starter in sorted(starters, key=lambda starter: starter.parameters):
            given = bind(self._context, call, *starter.parameters).values(starter.function)
            for value in ordered(given):
                for scope in self._behind(value, _MOST_PARTIALS):
                    yield Edge(call, scope, starter.kind)

    def _behind(self, value: Value, depth: int) -> Iterator[Scope]:
        """The functions that calling a value enters, also behind partials."""
        if not isinstance(value, Partial):
            yield from self._entered(value)
        elif depth:
            for inner in self._context.solver.values(*behind_partial(self._context, value)):
                yield from self._behind(inner, depth - 1)

    def _runs(self, call: ex.Call) -> Iterator[Edge]:
        """`worker.start()` of an object whose class says what it runs."""
        callee = call.function
        if not isinstance(callee, ex.Attribute):
            return
        for value in self._context.values(callee.value, call.scope):
            cls = attributes.project_class(value)
            method = None if cls is None else self._context.solver.classes.method(cls, "run")
            kind = None if cls is None else self._runs_in(cls)
            if method is not None and kind is not None:
                yield Edge(call, method, kind)

    def _runs_in(self, cls: Class) -> EdgeKind | None:
        """Where an object of a class runs its method `run`, if it is a thread or process."""
        bases = set(self._context.solver.classes.externals(cls))
        if bases & set(THREADS):
            return EdgeKind.THREAD
        return EdgeKind.PROCESS if bases & set(PROCESSES) else None


def callees_of(context: AnalysisContext, call: ex.Call) -> Sequence[Scope]:
    """The functions of the project that a call may enter in place."""
    return context[CallGraph].callees(call)


def callers_of(
    context: AnalysisContext, scope: Scope, kinds: frozenset[EdgeKind] = _ALL
) -> list[ex.Call]:
    """The calls that may run a function, those by which it runs in these places."""
    edges = context[CallGraph].callers(scope)
    return list(dict.fromkeys(edge.call for edge in edges if edge.kind in kinds))


def started_by(context: AnalysisContext, call: ex.Call) -> tuple[Edge, ...]:
    """The functions that a call runs in a thread or process."""
    return context[CallGraph].started(call) if call.name is not None else ()
