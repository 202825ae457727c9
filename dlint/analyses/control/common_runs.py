"""Whether one run of a program may come to two calls, or only runs of different scripts do.

Question: is there a script from which both calls are reached. Followed: the calls that lead to
each, processes and threads that they start included, up to the modules where they begin; such a
module is run as a script, or, unless a main guard stands around, by what imports it. Given up on:
functions that nobody is seen to call, and configs that are read somewhere: these may be of any run.
Budget: `DEEP` calls one inside the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.call_paths import DEEP
from dlint.analyses.control.path_tests import runs_at_import
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def may_share_run(context: AnalysisContext, one: ex.Call, other: ex.Call) -> bool:
    """Whether one run of the program may come to both calls, as far as is known."""
    if one.scope is other.scope:
        return True
    begun, others = _begun_by(context, one), _begun_by(context, other)
    return begun is None or others is None or not begun.isdisjoint(others)


def _begun_by(context: AnalysisContext, call: ex.Call) -> set[str] | None:
    """The files that come to a call when they are run; None where not all are known."""
    level, seen, found = [call], {call.scope}, set[str]()
    for _ in range(DEEP + 1):
        inside = [made.scope for made in level if not _is_of_script(made)]
        leading = {scope: callers_of(context, scope) for scope in inside}
        if not all(leading.values()):
            return None
        found.update(*(_started_for(context, made) for made in level if _is_of_script(made)))
        further = dict.fromkeys(made for calls in leading.values() for made in calls)
        level = [made for made in further if _is_of_script(made) or made.scope not in seen]
        seen.update(made.scope for made in level)
        if not level:
            return found
    return None


def _is_of_script(call: ex.Call) -> bool:
    """Whether a call stands at the top of a module of Python."""
    return call.scope.kind == "module" and call.scope.module.dialect is None


def _started_for(context: AnalysisContext, call: ex.Call) -> set[str]:
    """The files that come to a call at the top of a module when they are run."""
    path = call.scope.module.path
    return context.project.graph.importers({path}) if runs_at_import(call) else {path}
