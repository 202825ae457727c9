"""Iterators of which only a known few items are ever taken, one call of `next` for each.

Question: is what a call makes asked by `next(…)` alone, never again and again. Followed: `next` of
the call itself, and of a local name that it is bound to, in the rounds of loops that make it too.
Given up on: names that inner functions read or modules offer to others, and what is handed on or
kept elsewhere. Budget: one walk over the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import is_in_comprehension
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

_NEXT = ("builtins.next",)
_MOST_NAMES = 32


def is_asked_singly(context: AnalysisContext, made: ex.Call) -> bool:
    """Whether of an iterator that a call makes no loop or other code takes more and more items."""
    scope = made.scope
    asked = [c for c in walk.calls_in(scope, "next") if library_callees(context, c) == _NEXT]
    if any(written(call, 0) is made for call in asked):
        return True
    held = [d for d in scope.definitions if d.value is made]
    kept = any(store.value is made for store in scope.stores)
    if len(held) != 1 or kept or _is_seen_elsewhere(scope, held[0].name):
        return False
    once = [written(call, 0) for call in asked if _is_once(call, made)]
    return all(
        part in once
        for part in walk.parts_with_lambdas(scope.body)
        if isinstance(part, ex.Reference) and _may_be(part, held[0])
    )


def _is_seen_elsewhere(scope: Scope, name: str) -> bool:
    """Whether code outside of a function may read one of its names."""
    if scope.kind == "class" or (scope.kind == "module" and not scope.module.is_notebook):
        return True
    return any(
        isinstance(part, ex.Reference) and part.name == name and part.definition is None
        for inner in walk.scopes_within(scope)
        for part in walk.parts_with_lambdas(inner.body)
    )


def _is_once(asking: ex.Call, made: ex.Call) -> bool:
    """Whether an iterator is asked no more often by a call than it is made."""
    around = set(walk.enclosing_loops(made.statement))
    repeated = any(loop not in around for loop in walk.enclosing_loops(asking.statement))
    return not repeated and not is_in_comprehension(asking)


def _may_be(name: ex.Reference, held: ex.Definition) -> bool:
    """Whether a name may stand for what a definition binds; one that many paths bind may."""
    waiting: list[ex.Expression] = [name]
    seen: list[ex.Definition] = []
    while waiting and len(seen) < _MOST_NAMES:
        one = waiting.pop()
        if isinstance(one, ex.Conditional):
            waiting += (one.then, one.otherwise)
        elif isinstance(one, ex.Join):
            waiting += one.alternatives
        elif isinstance(one, ex.Reference) and one.definition not in (None, *seen):
            assert one.definition is not None
            if one.definition is held:
                return True
            seen.append(one.definition)
            waiting.append(one.definition.value)
    return bool(waiting)
