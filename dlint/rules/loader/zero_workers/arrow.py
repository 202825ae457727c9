"""Rows of Hugging Face datasets that a loader takes as they lie in their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.library_facts import arrow as known
from dlint.semantics.values.values import External, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
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
    streams = any(
        a.star or (a.keyword == "streaming" and not _is_false(a.value)) for a in call.arguments
    )
    found = context.solver.names.static(call.function, call.scope)
    return not streams and any(isinstance(v, External) and v.path in known.OPENING for v in found)


def _is_false(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Constant) and expression.value is False


def _set_later(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> Iterator[Scope]:
    """The functions that `dataset.set_transform(…)` gives to what an expression names."""
    text = ex.spelled(expression)
    for call in scope.calls:
        callee = call.function
        if not isinstance(callee, ex.Attribute) or callee.name not in known.SETTING:
            continue
        if text is not None and ex.spelled(callee.value) == text:
            yield from _functions(context, call)


def _functions(context: AnalysisContext, call: ex.Call) -> Iterator[Scope]:
    for argument in call.arguments[:1]:
        for value in context.values(argument.value, call.scope):
            if isinstance(value, FunctionObject | Method):
                yield value.scope
