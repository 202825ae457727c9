"""Calls of the scopes that a loader or a batch may come to, as far as the program runs them.

Question: which calls by some name, and which that may make a loader or a sampler, does the program
come to. Followed and given up on: what `control.completions` and `control.failures` say of code
that does not run. Linear in the calls of the reached scopes, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.failures import is_out_of_reach
from dlint.ir.looked_at import unlooked

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex


def loader_calls(context: AnalysisContext) -> Iterator[ex.Call]:
    """Calls that may make a loader or a sampler, by what their callees are bound to."""
    return _running(context, dict.fromkeys(context.reach.loader_calls()))


def calls_named(context: AnalysisContext, *names: str) -> Iterator[ex.Call]:
    """Calls in reached scopes whose callee ends in one of these names, in order.

    For methods whose receiver need not be known (`backward`), and where the name is evidence.
    """
    index = context[_ReachedCalls]
    for facts in index.modules:
        facts.calls.among(names)  # what is asked of each is noted
    found = [pair for name in set(names) for pair in index.by_name.get(name, ())]
    return _running(context, (call for _, call in sorted(found, key=itemgetter(0))))


def _running(context: AnalysisContext, calls: Iterable[ex.Call]) -> Iterator[ex.Call]:
    for call in calls:
        if not is_dead(call.statement) and not is_out_of_reach(context, call.scope):
            yield call


class _ReachedCalls:
    """The calls of reached scopes by the last names of their callees, numbered in order."""

    def __init__(self, context: AnalysisContext) -> None:
        self.by_name: dict[str, list[tuple[int, ex.Call]]] = {}
        reached = context.reached_modules
        self.modules = [facts for facts in context.modules if facts.module in reached]
        with unlooked():
            calls = (call for scope in context.reached() for call in scope.calls)
            for number, call in enumerate(calls):
                if call.name is not None:
                    self.by_name.setdefault(call.name, []).append((number, call))
