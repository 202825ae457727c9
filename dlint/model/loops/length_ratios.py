"""Divisions by the length of something, also by a name for it.

Question: which expressions divide by a `len(…)`? Followed: the statement of the call; in functions
that go through batches, names that it is bound to, attributes that are written at one place, and
parameters. Given up on: lengths that something was added to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import steps
from dlint.analyses.calls import calls_to, library_callees
from dlint.analyses.value_parts import origin_over_calls
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loops.batch_loops import batch_loops

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


class LengthRatio(NamedTuple):
    """`total / len(…)`, or by a name for the length."""

    total: ex.Expression
    divisor: ex.Expression
    length: ex.Call
    scope: Scope
    """Where it is divided; the length may be asked for elsewhere."""


def length_ratios(context: AnalysisContext) -> Iterator[LengthRatio]:
    """The divisions by a length, where it stands, or in functions that go through batches."""
    for call in calls_to(context, "builtins.len"):
        yield from (
            LengthRatio(part.left, call, call, call.scope)
            for part in divisions_beside(call)
            if part.right is call
        )
    for scope in dict.fromkeys(loop.scope for loop in context[batch_loops]):
        for part in walk.parts(scope.body):
            if isinstance(part, ex.Binary) and part.operator == "/":
                length = _named_length(context, part.right, scope)
                if length is not None:
                    yield LengthRatio(part.left, part.right, length, scope)


def _named_length(context: AnalysisContext, name: ex.Expression, scope: Scope) -> ex.Call | None:
    """The `len(…)` that a name, or an attribute that is written once, certainly is."""
    named, frame = origin_over_calls(context, name, context.solver.root(scope))
    held = list(steps(context, named, frame)) if isinstance(named, ex.Attribute) else []
    if len(held) == 1:
        named, _ = origin_over_calls(context, *held[0])
    if named is name or not isinstance(named, ex.Call):
        return None
    return named if library_callees(context, named) == ("builtins.len",) else None


def divisions_beside(call: ex.Call) -> Iterator[ex.Binary]:
    """The divisions in the statement of a call."""
    for expression in walk.expressions(call.statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Binary) and part.operator == "/":
                yield part
