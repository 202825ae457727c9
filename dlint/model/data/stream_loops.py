"""Loops in the code of streams: what is around a yield, and whether a loop reads what it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.repetition import contains
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts import streams as known
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


def loops_around(scope: Scope, produced: ex.Yield) -> list[Loop]:
    """The loops of a function that a yield stands in."""
    return [
        loop
        for loop in walk.statements(scope.body)
        if isinstance(loop, Loop) and contains((loop.header[1], loop.span[1]), produced.span)
    ]


def uses_target(loop: Loop) -> bool:
    """Whether the body of a loop reads what the loop counts or goes through."""
    names = {d.name for d in loop.definitions}
    return any(
        isinstance(part, ex.Reference) and part.name in names
        for statement in walk.statements(loop.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def draws(loop: Loop) -> bool:
    """Whether what a counting loop yields may be drawn at random."""
    counted = isinstance(loop.source, ex.Call) and loop.source.name == "range"
    return counted and any(call.name in known.DRAWING for call in calls_in(loop.body))


def reads_target(context: AnalysisContext, loop: Loop) -> bool:
    """Whether the elements are paths of files that the loop opens, or a function that it calls."""
    names = {d.name for d in loop.definitions}
    return any(
        _opens(context, call)
        and any(isinstance(a.value, ex.Reference) and a.value.name in names for a in call.arguments)
        for call in calls_in(loop.body)
    )


def _opens(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call reads a file, itself or as what it is given is the path of one inside."""
    if call.name in known.READING:
        return True
    inside = (inner for scope in callees_of(context, call) for inner in scope.calls)
    return any(
        isinstance(ex.unnamed(argument.value), ex.Parameter)
        for inner in inside
        if inner.name in known.READING
        for argument in inner.arguments
    )
