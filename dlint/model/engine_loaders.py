"""Loaders that an engine makes of the data that it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere, calls_to, library_callees
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.frameworks import ENGINES

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


@dataclass(eq=False, frozen=True)
class EngineLoader:
    """A loader that a library function returns, and the loops over it."""

    context: AnalysisContext
    call: ex.Call
    batches: Loop
    epochs: Loop

    @property
    def place(self) -> Place:
        """Where the engine is made."""
        return self.context.place_of(self.call)

    @property
    def is_handled(self) -> bool:
        """Whether the module that runs it sets some epoch."""
        setting = calls_anywhere(self.context, "set_epoch")
        return any(call.scope.module is self.call.scope.module for call in setting)

    def header(self, loop: Loop) -> Place:
        """The header of one of its loops."""
        return Place(self.call.scope.module.path, *loop.header)


def engine_loaders(context: AnalysisContext) -> Iterator[EngineLoader]:
    """Loaders that an engine makes of training data and that are run for several epochs."""
    for call in calls_to(context, *ENGINES):
        for path in library_callees(context, call):
            if path in ENGINES:
                yield from _run(context, call, *ENGINES[path])


def _run(
    context: AnalysisContext, call: ex.Call, keyword: str, position: int, place: int
) -> Iterator[EngineLoader]:
    data = written(call, position, keyword)
    if data is None or (isinstance(data, ex.Constant) and data.value is None):
        return
    for statement in walk.statements(call.scope.body):
        if isinstance(statement, Loop) and _iterates(statement.iterable, call, place):
            around = next(walk.enclosing_loops(statement), None)
            if around is not None:
                yield EngineLoader(context, call, statement, around)


def _iterates(iterable: ex.Expression | None, call: ex.Call, place: int) -> bool:
    """Whether an iterable names the loader among what the call returns."""
    if iterable is None:
        return False
    return any(
        isinstance(part, ex.Reference)
        and part.definition is not None
        and isinstance(item := part.definition.value, ex.Item)
        and item.value is call
        and item.position == place
        for part in walk.walk(iterable)
    )
