"""What the batches of one loop are given to: the values that its body calls, or hands to calls.

Question: which objects, models among them, does a loop use in one activation of its function.
Followed: methods that it enters, each with the object and the arguments of its own call, so that
what another program hands to the same method does not count. Given up on: plain functions, whose
arguments count where they are handed over, and names that may denote too many values. Budget:
`_DEPTH` calls one inside the other; what recurs or nests too deep is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import entered_as
from dlint.analyses.calls import callable_methods
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loops.batch_loops import calls_in
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import FunctionObject, Method, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block
    from dlint.semantics.calls.call_contexts import CallContext

_DEPTH = 2
_MOST = 40
"""A name that may denote more values than these says nothing of one loader's model."""


def values_used(context: AnalysisContext, block: Block, frame: CallContext) -> Iterator[Value]:
    """What a block calls, and hands to calls, itself and in the methods that it enters."""
    level, seen = [(block, frame)], {frame}
    for deep in range(_DEPTH + 1):
        for each, at in level:
            yield from _used_in(context, each, at)
        entered = dict.fromkeys(
            inner
            for each, at in (level if deep < _DEPTH else ())
            for call in calls_in(each)
            for inner in _methods(context, call, at)
        )
        level = [(inner.scope.body, inner) for inner in entered if inner not in seen]
        seen.update(entered)


def _methods(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Iterator[CallContext]:
    """The activations of methods that a call enters: of their objects, or by an object called."""
    for value in ordered(context.solver.values(call.function, frame)):
        callees: list[FunctionObject | Method] = []
        if not isinstance(value, FunctionObject | Method):
            callees += (Method(scope, value) for scope in callable_methods(context, value))
        elif value.scope.owner is not None:
            callees.append(value)
        for _, inner in entered_as(context, call, frame, callees):
            if inner.call is not None:
                yield inner


def _used_in(context: AnalysisContext, block: Block, frame: CallContext) -> Iterator[Value]:
    seen: set[object] = set()
    for expression in _mentioned(block):
        key = conditions.key(expression, frame)
        if key not in seen:
            seen.add(key)
            found = context.solver.values(expression, frame)
            yield from found if len(found) <= _MOST else ()


def _mentioned(block: Block) -> Iterator[ex.Expression]:
    """Names and attributes that a block calls, or gives to calls."""
    for call in calls_in(block):
        for expression in (call.function, *(a.value for a in call.arguments)):
            for part in walk.walk(expression):
                if isinstance(part, ex.Reference | ex.Attribute):
                    yield part
