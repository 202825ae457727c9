"""Whether each run of a function that one call enters makes another call.

Question: where a call enters a function with what it passes, is a call in that function certainly
made, and once? Followed: `if` and `elif` around it, whose tests come out so for what is passed, or
for a default that is left out. Runs that are left before make no difference, but those that may
give another value in its place. Given up on: tests
that come out so by anything else, choices within an expression, loops, `match` and handlers around
it, and calls of which not all callees are known. Budget: that of the evaluator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import entered_by
from dlint.analyses.control.path_tests import deciding_tests, tests_before
from dlint.analyses.guards import comes_out
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext


def is_made_for(context: AnalysisContext, call: ex.Call, entering: ex.Call) -> bool:
    """Whether each run of its function that another call enters, if not left before, makes it."""
    tests, before = deciding_tests(call), results_before(call)
    found = entered_by(context, entering, context.solver.root(entering.scope))
    frames = [frame for scope, frame in found if scope is call.scope]
    return (
        tests is not None
        and bool(frames)
        and all(comes_out(context, t.test, f, truth=t.truth) for f in frames for t in tests)
        and not any(_may_be_given(context, result, f) for f in frames for result in before)
    )


def may_enter(context: AnalysisContext, entering: ex.Call, scope: Scope) -> bool:
    """Whether a call may enter a function: its callees are not all known to be others."""
    found = list(entered_by(context, entering, context.solver.root(entering.scope)))
    return not found or any(entered is scope for entered, _ in found)


def results_before(call: ex.Call) -> list[ex.Expression]:
    """What a function may give back in place of making a call: its results that stand before."""
    return [result for result in call.scope.returns if result.span < call.statement.span]


def _may_be_given(context: AnalysisContext, result: ex.Expression, frame: CallContext) -> bool:
    tests = tests_before(frame.scope, result.span)
    return all(comes_out(context, t.test, frame, truth=t.truth) is not False for t in tests)
