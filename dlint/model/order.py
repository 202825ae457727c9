"""In which order the statements of one function run, and where workers start among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, started_by
from dlint.analyses.calls import is_call_to
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Loop, Scope, Statement, Try
from dlint.library_facts.start_methods import LAUNCHERS
from dlint.model.loops import BatchLoop, batch_loops
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_DEPTH = 3


class When(StrEnum):
    """When one statement runs, as seen from another of its function."""

    BEFORE = "before"
    AFTER = "after"


def relative_order(one: Statement, other: Statement) -> frozenset[When]:
    """When `one` runs relative to `other`; nothing where they exclude each other.

    A loop whose body holds `other` has begun before it; a loop around both brings `one` again.
    """
    ours, theirs = _path(one), _path(other)
    together: list[Statement] = []
    for (block, statement), (their_block, their_statement) in zip(ours, theirs, strict=False):
        if block is not their_block:
            first = _of_branches(block, their_block)
            return frozenset() if first is None else _around(first, together)
        if statement is not their_statement:
            earlier = block.statements.index(statement) < block.statements.index(their_statement)
            return _around(When.BEFORE if earlier else When.AFTER, together)
        if statement is one:
            # the loop that `other` stands in; or one statement that does both, again and again
            if one is not other:
                return _around(When.BEFORE, together)
            return _around(None, together)
        together.append(statement)
    return frozenset()


def _around(first: When | None, together: Iterable[Statement]) -> frozenset[When]:
    """In a loop around both, what came first comes again."""
    again = any(isinstance(statement, Loop) for statement in together)
    found = {first, When.AFTER} if again else {first}
    return frozenset(one for one in found if one is not None)


def _of_branches(block: Block, other: Block) -> When | None:
    """Two branches of one statement: those of `try` run one after the other."""
    owner = block.owner
    if not isinstance(owner, Try) or {block.role, other.role} <= {"else", "handler"}:
        return None
    order = [owner.body, owner.otherwise, *owner.handlers, owner.final]
    return When.BEFORE if order.index(block) < order.index(other) else When.AFTER


def _path(statement: Statement) -> list[tuple[Block, Statement]]:
    """The blocks around a statement, each with the statement of it that leads there."""
    steps = [(statement.block, statement)]
    steps += [(outer.block, outer) for outer in walk.ancestors(statement)]
    return steps[::-1]


@dataclass(frozen=True, slots=True)
class Start:
    """Workers of loaders start while `statement` runs, by the batch loop `loop`."""

    statement: Statement
    loop: BatchLoop

    @property
    def loaders(self) -> frozenset[AllocationSite]:
        """The loaders whose workers start."""
        return self.loop.loaders


class Starts:
    """Where iteration begins, seen from the functions that lead there."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._direct: dict[Scope, list[Start]] = {}
        for loop in context[batch_loops]:
            for statement in beginnings(loop):
                self._direct.setdefault(loop.scope, []).append(Start(statement, loop))
        self._known: dict[tuple[Scope, int], tuple[Start, ...]] = {}

    def of(self, scope: Scope, depth: int = _DEPTH) -> tuple[Start, ...]:
        """The statements of a function that start workers, themselves or by what they call."""
        key = (scope, depth)
        if key not in self._known:
            self._known[key] = ()
            self._known[key] = tuple(self._find(scope, depth))
        return self._known[key]

    def _find(self, scope: Scope, depth: int) -> Iterator[Start]:
        yield from self._direct.get(scope, ())
        if depth == 0:
            return
        for call in scope.calls:
            for callee in self._entered(call):
                for inner in self.of(callee, depth - 1):
                    yield Start(call.statement, inner.loop)

    def _entered(self, call: ex.Call) -> list[Scope]:
        if is_call_to(self._context, call, LAUNCHERS):
            return [edge.callee for edge in started_by(self._context, call)]
        return [s for s in callees_of(self._context, call) if not s.yields]


def beginnings(loop: BatchLoop) -> Iterator[Statement]:
    """The statements that create the iterator of a loop: itself, or an earlier `iter(loader)`."""
    made = list(_iterators(loop.iterable))
    if made:
        yield from (call.statement for call in made if call.scope is loop.scope)
    else:
        yield loop.statement


def _iterators(iterable: ex.Expression, depth: int = 6) -> Iterator[ex.Call]:
    if depth == 0:
        return
    match iterable:
        case ex.Reference() if iterable.definition is not None:
            yield from _iterators(iterable.definition.value, depth - 1)
        case ex.Join():
            for alternative in iterable.alternatives:
                yield from _iterators(alternative, depth - 1)
        case ex.Call() if iterable.name in ("iter", "__iter__"):
            yield iterable
        case ex.Call():
            for argument in positional(iterable)[:1]:
                yield from _iterators(argument, depth - 1)
