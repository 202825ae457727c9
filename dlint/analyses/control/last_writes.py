"""Which write to an attribute of an object is the last one before a method reads it.

Followed: writes to `self.name` in the methods of a class and of its relatives, each lifted by the
one place that enters its method to a method in which the order shows. What that method does not
enter is written before it or after it. Given up on: methods that several places enter, order in
loops, a last write that a test decides over, and writes from outside of the class.
Budget: `DEEP` calls one inside the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.call_paths import DEEP, entered_by
from dlint.analyses.control.order import When, relative_order
from dlint.analyses.control.path_tests import always_runs, is_optional, runs_whenever
from dlint.analyses.property_reads import property_reads
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Class, Scope, Statement, Store


class _Step(NamedTuple):
    """A statement that reads or writes, or enters a method that does."""

    scope: Scope
    statement: Statement
    is_certain: bool = True
    """Whether each run of the statement does so."""


class _Write(NamedTuple):
    store: Store
    steps: tuple[_Step, ...]
    """From the write itself to the method in which it is compared."""


def last_write(
    context: AnalysisContext, attribute: ex.Attribute, scope: Scope, statement: Statement
) -> Store | None:
    """The write that `self.name` certainly was given last, as a statement of a method reads it."""
    cls = attributes.class_of_self(attribute.value, scope)
    family = frozenset() if cls is None else frozenset(context.solver.classes.family(cls))
    stores = list(_stores(context, attribute.name, family))
    if not stores or None in stores:
        return None
    writes = {s: _steps(context, s.scope, s.statement, family) for s in stores if s is not None}
    for read in _steps(context, scope, statement, family):
        made = {store: _up_to(read.scope, steps) for store, steps in writes.items()}
        hidden = {store.scope for store, steps in made.items() if not steps}
        if not hidden.isdisjoint(entered_by(context, read.scope.calls)):
            return None
        beside = [_Write(store, steps) for store, steps in made.items() if steps]
        earlier = _earlier(beside, read)
        if earlier != []:
            return None if earlier is None else _last(earlier, read)
    return None


def _stores(
    context: AnalysisContext, name: str, family: frozenset[Class]
) -> Iterator[Store | None]:
    """The writes to an attribute of a class; None for one from outside of its methods."""
    for store in context.project.writing(name):
        if attributes.written_on_self(store) in family:
            yield store
            continue
        owners = context.values(store.target.value, store.scope)
        if any(attributes.project_class(owner) in family for owner in owners):
            yield None


def _steps(
    context: AnalysisContext, scope: Scope, statement: Statement, family: frozenset[Class]
) -> tuple[_Step, ...]:
    """A statement, and the one place after the other that leads to it within the class."""
    found = [_Step(scope, statement)]
    for _ in range(DEEP):
        if found[-1].scope.owner not in family:
            break
        entering = list(_entering(context, found[-1].scope))
        if len(entering) != 1 or entering[0].scope.owner not in family:
            break
        found += entering
    return tuple(found)


def _entering(context: AnalysisContext, method: Scope) -> Iterator[_Step]:
    for call in callers_of(context, method):
        yield _Step(call.scope, call.statement, not is_optional(call))
    for read in property_reads(context, method):
        yield _Step(read.scope, read.statement, read.is_certain)


def _up_to(scope: Scope, steps: tuple[_Step, ...]) -> tuple[_Step, ...]:
    """The steps until one is made in a function; none where none is."""
    inside = [number for number, step in enumerate(steps) if step.scope is scope]
    return steps[: inside[0] + 1] if inside else ()


def _earlier(writes: list[_Write], read: _Step) -> list[_Write] | None:
    """The writes that come before a statement of the same method; None if one also comes later."""
    orders = [(write, _order(write.steps[-1].statement, read.statement)) for write in writes]
    if any(len(order) > 1 for _, order in orders):
        return None
    return [write for write, order in orders if When.BEFORE in order]


def _last(writes: list[_Write], read: _Step) -> Store | None:
    """The last of some writes before a statement of the same method, if it certainly is made."""
    *before, last = sorted(writes, key=lambda write: write.steps[-1].statement.span)
    if any(write.steps[-1].statement is last.steps[-1].statement for write in before):
        return None
    return last.store if _is_certain(last.steps, read) else None


def _order(write: Statement, read: Statement) -> frozenset[When]:
    """When a write runs; both before and after in one statement, and in a loop around both."""
    if write is read:
        return frozenset(When)
    again = When.AFTER in relative_order(read, write)
    return relative_order(write, read) | ({When.BEFORE} if again else set())


def _is_certain(steps: tuple[_Step, ...], read: _Step) -> bool:
    inner = all(always_runs(step.statement, step.scope.body) for step in steps[:-1])
    made = all(step.is_certain for step in steps)
    return inner and made and runs_whenever(steps[-1].statement, read.statement)
