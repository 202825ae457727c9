"""Engines: library functions that make the loader and its distributed sampler themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.frameworks import ENGINES
from dlint.semantics.values.values import External

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
        facts = self.context.project.load(self.call.scope.module.path)
        return facts is not None and "set_epoch" in facts.calls

    def header(self, loop: Loop) -> Place:
        """The header of one of its loops."""
        return Place(self.call.scope.module.path, *loop.header)


def engine_loaders(context: AnalysisContext) -> Iterator[EngineLoader]:
    """Loaders that an engine makes of training data and that are run for several epochs."""
    names = {path.rpartition(".")[2] for path in ENGINES}
    for facts in context.modules:
        for call in (call for name in sorted(names) for call in facts.calls.get(name, ())):
            for value in context.solver.names.static(call.function, call.scope):
                if isinstance(value, External) and value.path in ENGINES:
                    yield from _run(context, call, *ENGINES[value.path])


def _run(
    context: AnalysisContext, call: ex.Call, keyword: str, position: int, place: int
) -> Iterator[EngineLoader]:
    given = next((a.value for a in call.arguments if a.keyword == keyword), None)
    positional = [a.value for a in call.arguments if a.keyword is None and not a.star]
    data = given or (positional[position] if position < len(positional) else None)
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
