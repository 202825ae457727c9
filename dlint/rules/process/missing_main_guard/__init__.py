"""missing-main-guard: workers that import the script run it again, and start workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.start_methods import FRESH, StartMethod
from dlint.model.workers import start_methods_of
from dlint.rules.process.missing_main_guard.scripts import Scripts, TopLevelStart

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex

_GUARD = 'move it under `if __name__ == "__main__":`'
_ELSEWHERE = "spawn (macOS, Windows) or forkserver (Python 3.14 on Linux)"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """The first unguarded statement of each script that starts workers, or sets their method."""
    scripts = Scripts(context)
    for facts in context.modules:
        settings = list(scripts.unguarded_settings(facts.module))
        if settings and scripts.starts_workers(facts.module) is not None:
            yield _set_twice(context, *settings[0])
            continue
        starts = sorted(scripts.unguarded_starts(facts.module), key=lambda start: start.place)
        if starts:
            yield _started(context, starts[0])


def _started(context: AnalysisContext, start: TopLevelStart) -> Finding:
    methods = start_methods_of(context, start.loader)
    fresh = " or ".join(sorted(methods)) if methods <= FRESH else _ELSEWHERE
    message = (
        "this starts workers at the top level of the script: workers started by "
        f"{fresh} import the script, so they come to this line themselves and raise RuntimeError "
        f"in their bootstrapping phase; {_GUARD}"
    )
    related = (Related(start.loader.place, "this loader has workers"),)
    return Finding(_severity(methods), message, start.place, related)


def _severity(methods: frozenset[StartMethod]) -> Severity:
    if methods <= FRESH:
        return Severity.ERROR
    return Severity.WARNING if methods & FRESH else Severity.INFO


def _set_twice(context: AnalysisContext, call: ex.Call, method: StartMethod) -> Finding:
    message = (
        f"`set_start_method` stands at the top level of the script: workers started by {method} "
        "import the script, so each of them sets the method again and raises RuntimeError "
        f"(context has already been set); {_GUARD}"
    )
    return Finding(Severity.ERROR, message, context.place_of(call))
