"""Functions of a list that a loop applies in turn: `for f in functions: x, y = f(x, y)`.

Question: which functions does each list that the loop may go through hold, in which order, and what
is each given? Followed are lists that are written out and that nothing is put into or taken out of.
Given up on: lists of which an item may be one or another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, displays_behind, entered_as
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.ir import expressions as ex
from dlint.semantics.values import containers
from dlint.semantics.values.values import Container, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

Turn = tuple[tuple[Located, ...], "CallContext"]
"""What a function returns (or the part that is asked for), and its activation."""


def in_order(context: AnalysisContext, value: Value | None) -> list[Value] | None:
    """The items of a list that is written out, each the only value there; None for others."""
    if not isinstance(value, Container) or not isinstance(value.origin, ex.Sequence):
        return None
    solver = context.solver
    items = [solver.values(item, value.frame) for item in value.origin.items]
    held = containers.elements(solver, value)
    solver.settle()
    if any(len(i) != 1 for i in items) or set(held.values) != {v for i in items for v in i}:
        return None  # something is put into it later, or may be one or another
    return [next(iter(i)) for i in items]


def chains(
    context: AnalysisContext, result: ex.Item | ex.Call, frame: CallContext
) -> list[list[Turn]] | None:
    """The turns behind what a loop makes of a value, for each list whose order is known.

    None where the result is no call of what a loop goes through, or each round begins anew.
    """
    call = result.value if isinstance(result, ex.Item) else result
    element = origin_of(call.function) if isinstance(call, ex.Call) else None
    if not isinstance(call, ex.Call) or not isinstance(element, ex.Element):
        return None
    if not any(_comes_back(argument.value, call) for argument in call.arguments):
        return None
    position = result.position if isinstance(result, ex.Item) else None
    found = [in_order(context, v) for v in context.solver.values(element.iterable, frame)]
    ways = (_turns(context, call, frame, functions, position) for functions in found if functions)
    return [turns for turns in ways if turns is not None]


def given_first(result: ex.Item | ex.Call) -> Iterator[ex.Expression]:
    """What the first function of a list is given, where each is given what the last one made."""
    call = result.value if isinstance(result, ex.Item) else result
    if not isinstance(call, ex.Call):
        return
    for argument in call.arguments:
        if _comes_back(argument.value, call):
            yield from (way for way in alternatives_of(argument.value) if not _is_of(way, call))


def _comes_back(given: ex.Expression, call: ex.Call) -> bool:
    """Whether a call may be given what it has returned in the round before."""
    return any(_is_of(way, call) for way in alternatives_of(given))


def _is_of(way: ex.Expression, call: ex.Call) -> bool:
    return way is call or (isinstance(way, ex.Item) and way.value is call)


def _turns(
    context: AnalysisContext,
    call: ex.Call,
    frame: CallContext,
    functions: list[Value],
    position: int | None,
) -> list[Turn] | None:
    """One after the other; None where one of them is not the project's."""
    turns = list[Turn]()
    for function in functions:
        entered = list(entered_as(context, call, frame, (function,)))
        if len(entered) != 1 or entered[0][0].yields:
            return None
        scope, inner = entered[0]
        turns.append((tuple(_parts(context, scope.returns, inner, position)), inner))
    return turns


def _parts(
    context: AnalysisContext,
    results: list[ex.Expression],
    frame: CallContext,
    position: int | None,
) -> Iterator[Located]:
    for result in results:
        if position is None:
            yield result, frame
            continue
        for display, where in displays_behind(context, result, frame) or ():
            if isinstance(display, ex.Sequence) and 0 <= position < len(display.items):
                yield display.items[position], where
