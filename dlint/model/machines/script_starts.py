"""What running a script does to its workers, where they run it again: start more, set the method.

Question: which top-level statement of a script starts workers with no main guard around it, and
which call there sets a start method by which workers import the script? Given up on: notebooks, and
settings that are forced, tried or tested for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import calls_at_import
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, ModuleIndex, Try
from dlint.library_facts.start_methods import FRESH, SETTERS, StartMethod
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.order import Starts
from dlint.model.workers.unguarded_starts import UnguardedStarts
from dlint.semantics.values.values import FALSE, NONE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class MethodSetting(NamedTuple):
    """A call at the top level of a script, and the start method that it sets."""

    place: Place
    method: StartMethod


class WorkersStart(NamedTuple):
    """A statement at the top level of a script, and a loader whose workers it starts."""

    place: Place
    loader: Loader


class Script(NamedTuple):
    """A module of a program in which some loader has workers, as what happens when it is run."""

    context: AnalysisContext
    module: ModuleIndex
    starts: Starts

    @property
    def repeated_setting(self) -> MethodSetting | None:
        """The first setting that workers come to again; None where the script starts no workers."""
        settings = list(self._unguarded_settings())
        return settings[0] if settings and self._starts_workers() else None

    @property
    def unguarded_start(self) -> WorkersStart | None:
        """The first statement that starts workers where no guard stands around it."""
        for start in self.context[UnguardedStarts].of(self.module):
            loaders = map(self.context[Loaders].of, start.loaders)
            found = [loader for loader in loaders if loader.workers_present is not None]
            if found:
                return WorkersStart(start.place, min(found, key=lambda loader: loader.place))
        return None

    def _unguarded_settings(self) -> Iterator[MethodSetting]:
        """Calls at the top level that set a method by which workers run the module again."""
        if self.module.is_notebook:
            return
        for call in calls_at_import(self.module):
            if not is_call_to(self.context, call, SETTERS):
                continue
            if _is_forced(self.context, call) or _is_tried(call) or is_dead(call.statement):
                continue
            method = _method(self.context, call)
            if method is not None:
                yield MethodSetting(self.context.place_of(call), method)

    def _starts_workers(self) -> bool:
        """Whether running the module iterates a loader with workers, under a main guard or not."""
        return any(
            self.context[Loaders].of(made).workers_present is not None
            for start in self.starts.of(self.module.body)
            for made in start.loaders
        )


def scripts(context: AnalysisContext) -> tuple[Script, ...]:
    """The modules of a program, as scripts; none where no loader has workers."""
    loaders = (x for group in context[Loaders].by_call().values() for x in group)
    if all(loader.workers_present is None for loader in loaders):
        return ()
    starts = Starts(context)
    return tuple(Script(context, facts.module, starts) for facts in context.modules)


def _method(context: AnalysisContext, call: ex.Call) -> StartMethod | None:
    given = bind(context, call).values("method")
    named = [v.value for v in given if isinstance(v, Literal)]
    if len(named) != 1 or len(named) != len(given) or named[0] not in list(FRESH):
        return None
    return StartMethod(str(named[0]))


def _is_forced(context: AnalysisContext, call: ex.Call) -> bool:
    return any(value not in (FALSE, NONE) for value in bind(context, call).values("force"))


def _is_tried(call: ex.Call) -> bool:
    return any(isinstance(outer, Try | If) for outer in walk.ancestors(call.statement))
