"""missing-main-guard: workers that import the script run it again, and start workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import runs_at_import
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, ModuleIndex, Try
from dlint.library_facts.start_methods import FRESH, SETTERS, StartMethod
from dlint.model.fresh_workers import fresh_workers_of
from dlint.model.loaders import Loaders
from dlint.model.order import Starts
from dlint.model.unguarded_starts import UnguardedStarts
from dlint.semantics.values.values import FALSE, NONE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_GUARD = 'move it under `if __name__ == "__main__":`'


def check(context: AnalysisContext) -> Iterator[Finding]:
    """The first unguarded statement of each script that starts workers, or sets their method."""
    scripts = Scripts(context)
    for facts in context.modules:
        settings = list(scripts.unguarded_settings(facts.module))
        if settings and scripts.starts_workers(facts.module) is not None:
            yield _set_twice(context, *settings[0])
            continue
        if scripts.works:
            yield from _started(context, facts.module)


def _started(context: AnalysisContext, module: ModuleIndex) -> Iterator[Finding]:
    """The first statement of a script that starts workers where no guard stands around it."""
    for start in context[UnguardedStarts].of(module):
        loaders = map(context[Loaders].of, start.loaders)
        found = [loader for loader in loaders if loader.workers_present is not None]
        if found:
            yield _unguarded(context, start.place, min(found, key=lambda loader: loader.place))
            return


def _unguarded(context: AnalysisContext, place: Place, loader: Loader) -> Finding:
    fresh = fresh_workers_of(context, loader)
    message = (
        "this starts workers at the top level of the script: workers started by "
        f"{fresh.methods_text} import the script, so they come to this line themselves and raise "
        f"RuntimeError in their bootstrapping phase; {_GUARD}"
    )
    related = (Related(loader.place, "this loader has workers"),)
    return Finding(fresh.severity, message, place, related)


def _set_twice(context: AnalysisContext, call: ex.Call, method: StartMethod) -> Finding:
    message = (
        f"`set_start_method` stands at the top level of the script: workers started by {method} "
        "import the script, so each of them sets the method again and raises RuntimeError "
        f"(context has already been set); {_GUARD}"
    )
    return Finding(Severity.ERROR, message, context.place_of(call))


class Scripts:
    """Modules of a program, as what happens when they are run."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._starts = Starts(context)
        self.works = any(
            loader.workers_present is not None
            for group in context[Loaders].by_call().values()
            for loader in group
        )

    def unguarded_settings(self, module: ModuleIndex) -> Iterator[tuple[ex.Call, StartMethod]]:
        """Calls at the top level that set a method by which workers run the module again."""
        if not self.works or module.is_notebook:
            return
        for call in module.body.calls:
            if not is_call_to(self._context, call, SETTERS) or not runs_at_import(call):
                continue
            if _is_forced(self._context, call) or _is_tried(call) or is_dead(call.statement):
                continue
            method = self._method(call)
            if method is not None:
                yield call, method

    def _method(self, call: ex.Call) -> StartMethod | None:
        given = bind(self._context, call).values("method")
        named = [v.value for v in given if isinstance(v, Literal)]
        if len(named) != 1 or len(named) != len(given) or named[0] not in list(FRESH):
            return None
        return StartMethod(str(named[0]))

    def starts_workers(self, module: ModuleIndex) -> Loader | None:
        """A loader with workers that running the module iterates, under the main guard or not."""
        for start in self._starts.of(module.body):
            for made in start.loaders:
                loader = self._context[Loaders].of(made)
                if loader.workers_present is not None:
                    return loader
        return None


def _is_forced(context: AnalysisContext, call: ex.Call) -> bool:
    return any(value not in (FALSE, NONE) for value in bind(context, call).values("force"))


def _is_tried(call: ex.Call) -> bool:
    return any(isinstance(outer, Try | If) for outer in walk.ancestors(call.statement))
