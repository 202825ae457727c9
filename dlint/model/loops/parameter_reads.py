"""Reads of each parameter of a model, at every step.

Question: does each step bring a value of every parameter, or of its gradient, to the host, one by
one? Followed: loops and comprehensions over `parameters()` and `named_parameters()`, local names
for what is made of one, and functions that each step enters, also by another call in each branch,
or that each known call gives the parameters. Given up on: reads that a test decides over which asks
nothing of the parameter, as every so many steps do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import calls_in_each_run, entered_by
from dlint.analyses.control.path_tests import always_runs, runs_whenever
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Loop, Statement
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.host_reads import fetched

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope

_OF_MODEL = frozenset({"parameters", "named_parameters", "master_params"})
"""What gives the parameters of a model, or those of Apex that its optimizer changes."""


def parameter_reads(context: AnalysisContext, body: Block, steps: list[Statement]) -> list[ex.Call]:
    """The calls of a loop's round, and of what it enters, that read each parameter every time."""
    calls = calls_in(body)
    found = [
        c for c, outer in _reads(context, calls) if all(runs_whenever(outer, s) for s in steps)
    ]
    for scope in _entered(context, calls, steps):
        found += [c for c, outer in _reads(context, scope.calls) if always_runs(outer, scope.body)]
    return list(dict.fromkeys(found)) if steps else []


def _entered(
    context: AnalysisContext, calls: Sequence[ex.Call], steps: list[Statement]
) -> Iterator[Scope]:
    """The functions that each step enters, be it by another call in each branch."""
    made = [tuple(c for c in calls if runs_whenever(c.statement, step)) for step in steps]
    entered = [
        dict.fromkeys(entered_by(context, some, inner=calls_in_each_run))
        for some in dict.fromkeys(made)
    ]
    for scope in entered[0] if entered else ():
        if all(scope in others for others in entered):
            yield scope


def _reads(
    context: AnalysisContext, calls: Iterable[ex.Call]
) -> Iterator[tuple[ex.Call, Statement]]:
    """The reads of each parameter, and the statements that go through them all."""
    for call in calls:
        tensor = fetched(call)
        parts = parts_in_function(tensor) if tensor is not None else ()
        elements = (part for part in parts if isinstance(part, ex.Element))
        over = (part for part in elements if _is_over_parameters(context, part, call.scope))
        rounds = [round_of(call, part) for part in over]
        yield from ((call, outer) for outer in rounds[:1] if outer is not None)


def _is_over_parameters(context: AnalysisContext, element: ex.Element, scope: Scope) -> bool:
    if _gives_parameters(element.iterable):
        return True
    taken = [p for p in parts_in_function(element.iterable) if isinstance(p, ex.Parameter)]
    return len(taken) == 1 and _is_given_parameters(context, taken[0], scope)


def _gives_parameters(iterable: ex.Expression) -> bool:
    parts = walk.walk(origin_of(iterable))
    return any(isinstance(part, ex.Call) and part.name in _OF_MODEL for part in parts)


def _is_given_parameters(context: AnalysisContext, taken: ex.Parameter, scope: Scope) -> bool:
    """Whether each known call gives a function's parameter those of a model."""
    given = [frame.given(taken.name) for frame in context.evaluator.callers(scope)]
    return bool(given) and all(one is not None and _gives_parameters(one[0]) for one in given)


def round_of(call: ex.Call, element: ex.Element) -> Statement | None:
    """The statement whose rounds an element is of; None where tests in it decide that ask nothing
    of what the rounds go through."""
    if _is_comprehended(call, element):
        return call.statement
    loops = (s for s in walk.enclosing_loops(call.statement) if s.iterable is element.iterable)
    outer = next(loops, None)
    if outer is None:
        return None
    inside = set(walk.statements(outer.body))
    tests = (s for s in walk.ancestors(call.statement) if isinstance(s, If) and s in inside)
    return outer if all(_asks_of(test, outer) for test in tests) else None


def _is_comprehended(call: ex.Call, element: ex.Element) -> bool:
    """Whether a call stands in a comprehension whose rounds an element is of."""
    return any(
        isinstance(part, ex.Comprehension)
        and element.iterable in part.iterables
        and any(inner is call for inner in walk.walk(part))
        for expression in walk.expressions(call.statement)
        for part in walk.walk(expression)
    )


def _asks_of(test: If, loop: Loop) -> bool:
    """Whether a test asks something of what a loop goes through."""
    parts = parts_in_function(test.test)
    return any(isinstance(p, ex.Reference) and p.definition in loop.definitions for p in parts)
