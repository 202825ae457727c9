"""Rows of Hugging Face data sets: where they are opened, and what is applied to each when taken.

Followed: names, subscripts, the methods that select or transform rows, and `set_transform`. Given
up on: rows that something was done to before, and those that are streamed. Bounded by `_STEPS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts import arrow as known
from dlint.semantics.values.values import FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_STEPS = 24
_PASSING = known.SELECTING | known.TRANSFORMING


class Rows(NamedTuple):
    """The rows of one dataset: where it is opened, and what is applied to each when it is taken."""

    opened: ex.Call
    transforms: tuple[Scope, ...]


def rows(context: AnalysisContext, given: tuple[ex.Expression, CallContext] | None) -> Rows | None:
    """The rows that an expression denotes; None for rows that something was done to before."""
    if given is None:
        return None
    expression, scope = given[0], given[1].scope
    transforms = [*_set_later(context, expression, scope)]
    for _ in range(_STEPS):
        match expression:
            case ex.Reference() if expression.definition is not None:
                expression = expression.definition.value
            case ex.Subscript():
                expression = expression.value
            case ex.Call(function=ex.Attribute(value=source, name=name)) if name in _PASSING:
                if name in known.TRANSFORMING:
                    transforms += _functions(context, expression)
                expression = source
            case ex.Call() if _opens(context, expression):
                return Rows(expression, tuple(transforms))
            case _:
                return None
    return None


def _opens(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call opens a dataset that is read from files, rather than from the network."""
    if not is_call_to(context, call, known.OPENING):
        return False
    streaming = bind(context, call).alternatives("streaming")
    return all(a.is_absent or a.is_false for a in streaming)


def _set_later(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> Iterator[Scope]:
    """The functions that `dataset.set_transform(…)` gives to what an expression names."""
    text = ex.spelled(expression)
    for call in walk.calls_in(scope, *sorted(known.SETTING)):
        callee = call.function
        if not isinstance(callee, ex.Attribute):
            continue
        if text is not None and ex.spelled(callee.value) == text:
            yield from _functions(context, call)


def _functions(context: AnalysisContext, call: ex.Call) -> Iterator[Scope]:
    given = written(call, 0)
    for value in () if given is None else context.values(given, call.scope):
        if isinstance(value, FunctionObject | Method):
            yield value.scope
