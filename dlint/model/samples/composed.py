"""Composed transforms: what each function of a `Compose` is given by the one before it.

Question: in which activations do the project's functions run that a library composes, and what does
a library's transform get? Followed are compositions that are written out as a list, nested ones and
`Lambda` included, and classes of the project that apply a list of their own, where worker code
calls them or a library's data set is given them. What a library's transform returns is not known;
behind it a stage is given nothing that is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.applied_in_turn import gone_through, in_order
from dlint.analyses.callees import is_self
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.model.samples.samples import callee_of
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import (
    AllocationSite,
    FunctionObject,
    Method,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

Located = tuple[ex.Expression, CallContext]
_MOST = 60


class Stage(NamedTuple):
    """One function of a composition: what it may be given, and its activations if it is ours."""

    value: Value
    inputs: tuple[Located, ...]
    activations: tuple[CallContext, ...]

    @property
    def path(self) -> str | None:
        """The library's class that the transform is of."""
        return library_path(self.value) or None


def stages(context: AnalysisContext) -> tuple[Stage, ...]:
    """The transforms that worker code applies one after the other."""
    return tuple(stage for call, frame in _applied(context) for stage in _of(context, call, frame))


def _applied(context: AnalysisContext) -> Iterator[tuple[ex.Call, CallContext]]:
    """The calls in worker code that take one argument, in their functions' root activations."""
    for scope in context[WorkerCode].functions:
        for call in scope.calls:
            if len(call.arguments) == 1 and isinstance(call.function, ex.Attribute | ex.Reference):
                yield call, context.solver.root(scope)


def _of(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Iterator[Stage]:
    given = written(call, 0, "img")
    if given is None:
        return
    for value in context.solver.values(call.function, frame):
        if library_path(value) or attributes.project_class(value) is not None:
            yield from _Chain(context, call, frame).run(value, (given, frame))


class _Chain:
    """One call of a composition: its stages, in order."""

    def __init__(self, context: AnalysisContext, call: ex.Call, frame: CallContext) -> None:
        self._context, self._call, self._frame = context, call, frame

    def run(self, value: Value, given: Located) -> Iterator[Stage]:
        inputs: tuple[Located, ...] = (given,)
        for transform in listed(self._context, value):
            stage = self._stage(transform, inputs)
            inputs = tuple((r, f) for f in stage.activations for r in f.scope.returns)
            yield stage

    def _stage(self, value: Value, inputs: tuple[Located, ...]) -> Stage:
        scope = callee_of(self._context, value)
        frames = () if scope is None else tuple(self._enter(scope, value, i) for i in inputs)
        return Stage(value, inputs, frames)

    def _enter(self, scope: Scope, value: Value, given: Located) -> CallContext:
        solver = self._context.solver
        expression, frame = given
        passed = CallArguments(((ex.Argument(expression.span, expression), frame),))
        receiver: Value | None = None
        if isinstance(value, Method):
            receiver = value.receiver
        elif attributes.project_class(value) is not None:
            receiver = value
        closure = value.closure if isinstance(value, FunctionObject) else None
        return solver.frames.enter(scope, self._call, passed, self._frame, closure, receiver)


def listed(context: AnalysisContext, value: Value) -> list[Value]:
    """The transforms behind a composition, in order; what cannot be opened is one."""
    found: list[Value] = []
    waiting = [value]
    while waiting and len(found) < _MOST:
        each = waiting.pop(0)
        parts = _parts(context, each)
        if parts is None:
            found.append(each)
        waiting = [*(parts or ()), *waiting]
    return found


def _parts(context: AnalysisContext, value: Value) -> list[Value] | None:
    """What a `Compose` or a `Lambda` applies, or an object of the project; None for others."""
    if attributes.project_class(value) is not None:
        return _of_project(context, value)
    name = library_path(value).rpartition(".")[2]
    if not isinstance(value, AllocationSite) or name not in _APPLYING:
        return None
    passed, solver = context.solver.passed.get(value), context.solver
    bound = None if passed is None else argument_for(passed, 0, _APPLYING[name]).expression
    if bound is None:
        return None
    values = solver.values(*bound)
    if name == "Lambda":
        return list(values)
    return in_order(context, next(iter(values)) if len(values) == 1 else None)


def _of_project(context: AnalysisContext, value: Value) -> list[Value] | None:
    """The functions that a call of an object applies in turn, where it does nothing else."""
    scope = callee_of(context, value)
    functions = None if scope is None else gone_through(scope)
    if scope is None or not isinstance(functions, ex.Attribute):
        return None
    if not is_self(functions.value, scope):
        return None
    held = context.solver.member(value, functions.name)
    context.solver.settle()
    return in_order(context, next(iter(held.values)) if len(held.values) == 1 else None)


_APPLYING = {"Compose": "transforms", "Sequential": "transforms", "Lambda": "lambd"}
"""Library classes that apply what they are given, by the name of the argument."""
