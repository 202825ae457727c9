"""What hands on what it takes from something, one round after another: generators, and `map`.

Question: which iterables does a generator go through, so that each of its rounds is one of theirs,
whatever becomes of the element on the way? Followed: loops of a generator function, and of the
`__iter__` of an object, whose body yields what is made of the loop's element, by names and calls;
and what `map` applies a function to. Given up on: `map` of several iterables, elements that are
kept first, those of a loop inside, and generator expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, External, Generated, Instance, Value

if TYPE_CHECKING:
    from dlint.ir.module import Scope, Statement
    from dlint.semantics.values.solver import Solver


def relayed(solver: Solver, value: Value) -> Iterator[Value]:
    """What the loops go through whose elements a value hands on, where it is such a generator."""
    if is_mapped(value):
        mapped = positional(value.call)
        yield from solver.values(mapped[1], value.frame) if len(mapped) == 2 else ()
    begun = begun_by(solver, value)
    if begun is not None:
        for iterable in _relayed_by(begun.scope):
            yield from solver.values(iterable, begun.frame)


def is_mapped(value: Value) -> TypeGuard[AllocationSite]:
    """Whether a value is what `map(function, …)` makes."""
    return isinstance(value, AllocationSite) and value.origin == External("builtins.map")


def begun_by(solver: Solver, value: Value) -> Generated | None:
    """The generator of the project that iterating over a value begins."""
    if isinstance(value, Generated):
        return value
    cls = attributes.project_class(value) if isinstance(value, AllocationSite | Instance) else None
    begin = None if cls is None else solver.classes.method(cls, "__iter__")
    if begin is None or not begin.yields:
        return None
    return Generated(begin, attributes.entered(solver, value, begin))


def _relayed_by(scope: Scope) -> Iterator[ex.Expression]:
    """What the loops of a generator go through that yield in each round what is made of it."""
    for statement in walk.statements(scope.body):
        loop = next(walk.enclosing_loops(statement), None)
        if loop is not None and loop.iterable is not None and _hands_on(statement, loop.iterable):
            yield loop.iterable


def _hands_on(statement: Statement, iterable: ex.Expression) -> bool:
    yielded = (
        part.value
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
        if isinstance(part, ex.Yield) and part.value is not None and not part.delegates
    )
    return any(
        isinstance(part, ex.Element) and part.iterable is iterable
        for value in yielded
        for part in parts_in_function(value)
    )
