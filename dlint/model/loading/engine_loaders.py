"""Loaders that an engine makes of the data that it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, calls_to, library_callees
from dlint.analyses.control.call_paths import chains_to, entered_by
from dlint.analyses.value_parts import origin_over_calls, parts_gone_through
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, Scope
from dlint.library_facts.frameworks import LOADING

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class EngineLoop(NamedTuple):
    """A loop and the function it stands in."""

    loop: Loop
    scope: Scope

    @property
    def place(self) -> Place:
        """Its header."""
        return Place(self.scope.module.path, *self.loop.header)


@dataclass(eq=False, frozen=True)
class EngineLoader:
    """A loader that a library function returns, and the loops over it."""

    context: AnalysisContext
    call: ex.Call
    batches: EngineLoop
    epochs: EngineLoop

    @property
    def place(self) -> Place:
        """Where the engine is made."""
        return self.context.place_of(self.call)

    @property
    def is_handled(self) -> bool:
        """Whether the module that runs it sets some epoch."""
        setting = calls_anywhere(self.context, "set_epoch")
        return any(call.scope.module is self.call.scope.module for call in setting)


def engine_loaders(context: AnalysisContext) -> Iterator[EngineLoader]:
    """Loaders that an engine makes of training data and that are run for several epochs."""
    for call in calls_to(context, *LOADING):
        for path in library_callees(context, call):
            if path in LOADING:
                yield from _run(context, call, *LOADING[path])


def _run(
    context: AnalysisContext, call: ex.Call, keyword: str, position: int, place: int
) -> Iterator[EngineLoader]:
    data = written(call, position, keyword)
    if data is None or (isinstance(data, ex.Constant) and data.value is None):
        return
    for scope in dict.fromkeys([call.scope, *entered_by(context, call.scope.calls)]):
        for statement in walk.statements(scope.body):
            if isinstance(statement, Loop) and _iterates(context, statement, scope, call, place):
                for around in _around(context, statement, scope):
                    yield EngineLoader(context, call, EngineLoop(statement, scope), around)


def _around(context: AnalysisContext, loop: Loop, scope: Scope) -> Iterator[EngineLoop]:
    """The nearest loop around a loop; where its function has none, those around the calls that
    lead to it.
    """
    own = next(walk.enclosing_loops(loop), None)
    if own is not None:
        yield EngineLoop(own, scope)
        return
    for *_, call in chains_to(context, scope, lambda c: not any(walk.enclosing_loops(c.statement))):
        around = next(walk.enclosing_loops(call.statement), None)
        if around is not None:
            yield EngineLoop(around, call.scope)


def _iterates(
    context: AnalysisContext, loop: Loop, scope: Scope, call: ex.Call, place: int
) -> bool:
    """Whether a loop goes over the loader among what the call returns, also where it is given."""
    root = context.solver.root(scope)
    parts = () if loop.iterable is None else parts_gone_through(loop.iterable)
    found = (origin_over_calls(context, part, root)[0] for part in parts)
    return any(
        isinstance(item, ex.Item) and item.value is call and item.position == place
        for item in found
    )
