"""Where workers start, among the statements of the functions that lead there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, started_by
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.value_parts import alternatives_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir.module import Scope, Statement
from dlint.library_facts.start_methods import LAUNCHERS
from dlint.model.loops.batch_loops import BatchLoop, batch_loops
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


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
        self._known: dict[Scope, tuple[Start, ...]] = {}

    def of(self, scope: Scope) -> tuple[Start, ...]:
        """The statements of a function that start workers, themselves or by what they call."""
        if scope not in self._known:
            called = (start for call in scope.calls for start in self.by(call))
            self._known[scope] = (*self.directly_in(scope), *called)
        return self._known[scope]

    def directly_in(self, scope: Scope) -> tuple[Start, ...]:
        """The statements of a function that start workers themselves."""
        return tuple(self._direct.get(scope, ()))

    def by(self, call: ex.Call) -> Iterator[Start]:
        """The workers that a call starts, by the functions that it enters or launches."""
        for scope in entered_by(self._context, (call,), _entered):
            for start in self.directly_in(scope):
                yield Start(call.statement, start.loop)


def _entered(context: AnalysisContext, call: ex.Call) -> list[Scope]:
    if is_call_to(context, call, LAUNCHERS):
        return [edge.callee for edge in started_by(context, call)]
    return [s for s in callees_of(context, call) if not s.yields]


def beginnings(loop: BatchLoop) -> Iterator[Statement]:
    """The statements that create the iterator of a loop: itself, or an earlier `iter(loader)`."""
    made = list(_iterators(loop.iterable))
    if made:
        yield from (call.statement for call in made if call.scope is loop.scope)
    else:
        yield loop.statement


def _iterators(iterable: ex.Expression) -> Iterator[ex.Call]:
    """The calls of `iter` that an iterable goes back to, also through calls that hand it on."""
    seen: set[ex.Expression] = set()
    waiting = [iterable]
    while waiting:
        for origin in alternatives_of(waiting.pop()):
            if not isinstance(origin, ex.Call) or origin in seen:
                continue
            seen.add(origin)
            if origin.name in ("iter", "__iter__"):
                yield origin
            else:
                waiting += positional(origin)[:1]
