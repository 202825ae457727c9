"""Where running a module, or importing it, begins to iterate loaders, with no main guard around it.

Question: which statements at the top level of a script lead to a batch loop. Workers that begin as
new interpreters import the script, and come to these statements themselves. Followed: functions
that the statements call. Given up on: notebooks, which no worker runs again, and statements whose
exceptions are caught: a worker that fails there goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import (
    calls_at_import,
    is_tried,
    is_under_main_guard,
    runs_at_import,
)
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Loop, ModuleIndex, Scope, Statement
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.loading.frameworks import Consumption
from dlint.model.workers.order import Start, Starts
from dlint.semantics.values.values import AllocationSite, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class TopLevelStart(NamedTuple):
    """A statement at the top level of a module that begins to iterate loaders."""

    place: Place
    loaders: frozenset[AllocationSite]


class UnguardedStarts:
    """The statements of modules that begin to iterate loaders whenever they are imported."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._starts = Starts(context)
        self._known: dict[ModuleIndex, list[TopLevelStart]] = {}

    def of(self, module: ModuleIndex) -> list[TopLevelStart]:
        """Those of one module, in the order of their places."""
        if module not in self._known:
            self._known[module] = sorted(self._found(module), key=lambda start: start.place)
        return self._known[module]

    def start(self, loader: Loader) -> Place | None:
        """The first statement that begins to iterate a loader."""
        starts = (s for facts in self._context.modules for s in self.of(facts.module))
        return next((s.place for s in starts if loader.made in s.loaders), None)

    def _found(self, module: ModuleIndex) -> Iterator[TopLevelStart]:
        if module.is_notebook or module.path.endswith(("__init__.py", "__main__.py")):
            return
        for start in self._starts.directly_in(module.body):
            if not is_under_main_guard(module.body, start.statement.span):
                yield from _of(module, start.statement, start.loaders)
        for call, made in self._run_by_trainers:
            runs = call.scope is module.body and runs_at_import(call)
            if runs and not is_under_main_guard(module.body, call.span):
                yield from _of(module, call.statement, frozenset({made}))
        for call in calls_at_import(module):
            for callee in self._functions(call):
                for start in self._starts.of(callee):
                    if not _is_guarded(callee, start):
                        yield from _of(module, call.statement, start.loaders)

    @cached_property
    def _run_by_trainers(self) -> list[tuple[ex.Call, AllocationSite]]:
        """The calls by which a trainer goes through loaders that it is given."""
        found = self._context[Consumption]
        return [
            (call, made)
            for made in found.loaders
            for framework, call in found.of(made)
            if framework.name == RUNNING_EPOCHS.name and call is not None
        ]

    def _functions(self, call: ex.Call) -> list[Scope]:
        values = self._context.values(call.function, call.scope)
        found = [v.scope for v in values if isinstance(v, FunctionObject | Method)]
        return [scope for scope in found if not scope.yields]


def _is_guarded(function: Scope, start: Start) -> bool:
    """Whether a main guard stands in the function that a module calls, or in that of the loop."""
    ways = ((function, start.statement), (start.loop.scope, start.loop.statement))
    return any(is_under_main_guard(scope, statement.span) for scope, statement in ways)


def _of(
    module: ModuleIndex, statement: Statement, loaders: frozenset[AllocationSite]
) -> Iterator[TopLevelStart]:
    if not is_dead(statement) and not is_tried(statement):
        span = statement.header if isinstance(statement, Loop) else statement.span
        yield TopLevelStart(Place(module.path, *span), loaders)
