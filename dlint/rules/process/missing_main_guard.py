"""missing-main-guard: workers that import the script run it again, and start workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.fresh_workers import FreshWorkers, fresh_workers_of
from dlint.model.machines.script_starts import MethodSetting, WorkersStart, scripts

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_GUARD = 'move it under `if __name__ == "__main__":`'


def check(context: AnalysisContext) -> Iterator[Finding]:
    """The first unguarded statement of each script that starts workers, or sets their method."""
    for script in scripts(context):
        setting = script.repeated_setting
        start = script.unguarded_start if setting is None else None
        if setting is not None:
            yield _set_twice(setting)
        elif start is not None:
            yield _unguarded(start, fresh_workers_of(context, start.loader, script.module))


def _unguarded(start: WorkersStart, fresh: FreshWorkers) -> Finding:
    message = (
        "this starts workers at the top level of the script: workers started by "
        f"{fresh.methods_text} import the script, so they come to this line themselves and raise "
        f"RuntimeError in their bootstrapping phase; {_GUARD}"
    )
    related = (Related(start.loader.place, "this loader has workers"),)
    return Finding(fresh.severity, message, start.place, related)


def _set_twice(setting: MethodSetting) -> Finding:
    message = (
        "`set_start_method` stands at the top level of the script: workers started by "
        f"{setting.method} import the script, so each of them sets the method again and raises "
        f"RuntimeError (context has already been set); {_GUARD}"
    )
    return Finding(Severity.ERROR, message, setting.place)
