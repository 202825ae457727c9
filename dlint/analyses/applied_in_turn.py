"""Functions of a list that a loop applies in turn: `for f in functions: x, y = f(x, y)`.

Question: which functions does each list that the loop may go through hold, in which order, and what
is each given? Followed are lists that are written out and that nothing is put into or taken out of,
and arguments that a call gives to `*functions`.
Given up on: lists of which an item may be one or another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, displays_behind, entered_as
from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls.binding import given_to_rest
from dlint.semantics.values import containers
from dlint.semantics.values.values import Container, Value, VarArgs

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Turn = tuple[tuple[Located, ...], "CallContext"]
"""What a function returns (or the part that is asked for), and its activation."""


def in_order(context: AnalysisContext, value: Value | None) -> list[Value] | None:
    """The items of a list or of `*args` written out, each the only value there; None for others."""
    solver, written = context.solver, None if value is None else _written(value)
    if value is None or written is None:
        return None
    items = [solver.values(*item) for item in written]
    held = containers.elements(solver, value)
    solver.settle()
    if any(len(i) != 1 for i in items) or set(held.values) != {v for i in items for v in i}:
        return None  # something is put into it later, or may be one or another
    return [next(iter(i)) for i in items]


def _written(value: Value) -> list[Located] | None:
    """What a display holds, or a call gives to `*args`."""
    if isinstance(value, Container) and isinstance(value.origin, ex.Sequence):
        return [(item, value.frame) for item in value.origin.items]
    rest = given_to_rest(value.frame) if isinstance(value, VarArgs) else []
    plain = rest and not any(argument.star for argument, _ in rest)
    return [(argument.value, frame) for argument, frame in rest] if plain else None


def gone_through(scope: Scope) -> ex.Expression | None:
    """The list whose functions a function applies in turn to what it is given, each in every run.

    None where it returns anything else.
    """
    if len(scope.returns) != 1 or scope.yields:
        return None
    (result,) = scope.returns
    first = result.items[0] if isinstance(result, ex.Sequence) and result.items else result
    ways = alternatives_of(first)
    made = [way for way in ways if not isinstance(origin_of(way), ex.Parameter)]
    call = _call_of(made[0]) if len(made) == 1 else None
    loop = None if call is None else next(walk.enclosing_loops(call.statement), None)
    if call is None or loop is None or not runs_each_round(call, loop):
        return None
    element = origin_of(call.function)
    returns_it = any(_comes_back(argument.value, call) for argument in call.arguments)
    return origin_of(element.iterable) if returns_it and isinstance(element, ex.Element) else None


def _call_of(result: ex.Expression) -> ex.Call | None:
    """The call that a value, or the tuple that it is taken out of, is the result of."""
    call = result.value if isinstance(result, ex.Item) else result
    return call if isinstance(call, ex.Call) else None


def chains(
    context: AnalysisContext, result: ex.Item | ex.Call, frame: CallContext
) -> list[list[Turn]] | None:
    """The turns behind what a loop makes of a value, for each list whose order is known.

    None where the result is no call of what a loop goes through, or each round begins anew.
    """
    call = _call_of(result)
    element = None if call is None else origin_of(call.function)
    if call is None or not isinstance(element, ex.Element):
        return None
    if not any(_comes_back(argument.value, call) for argument in call.arguments):
        return None
    position = result.position if isinstance(result, ex.Item) else None
    found = [in_order(context, v) for v in context.solver.values(element.iterable, frame)]
    ways = (_turns(context, call, frame, functions, position) for functions in found if functions)
    return [turns for turns in ways if turns is not None]


def given_first(result: ex.Item | ex.Call) -> Iterator[ex.Expression]:
    """What the first function of a list is given, where each is given what the last one made."""
    call = _call_of(result)
    for argument in () if call is None else call.arguments:
        if call is not None and _comes_back(argument.value, call):
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
