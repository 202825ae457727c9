"""What lies on the paths of calls that lead to a function, or out of it.

Questions: which functions does a call enter, itself or by what it calls; which calls lead to a
function, and how often do they; what does every path to it have, and does some path have it.
Followed: the call graph, or the edges that are handed in (a launched process is no call of one's
own process). A function that is met again on a path (recursion) adds nothing to it.
Given up on: what is unknown adds no edge, so *every path* means every path that is known; a
function without known callers has none. Budget: `DEEP` calls one inside the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.control.path_tests import call_always_runs
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.streams import CALLING

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

T = TypeVar("T")
Callees = Callable[["AnalysisContext", "ex.Call"], Iterable["Scope"]]
Callers = Callable[["AnalysisContext", "Scope"], Iterable["ex.Call"]]

_APPLYING = frozenset(path.rpartition(".")[2] for path in CALLING)
"""Last names of what calls a function for each of several things."""

DEEP = 4
"""How many calls one inside the other are followed."""


def entered_by(
    context: AnalysisContext,
    calls: Iterable[ex.Call],
    callees: Callees = callees_of,
    deep: int = DEEP,
    inner: Callable[[Scope], Iterable[ex.Call]] = lambda scope: scope.calls,
) -> Iterator[Scope]:
    """The functions that calls enter, themselves or by what these call, the nearest first.

    `inner` says which calls of an entered function count.
    """
    seen: set[Scope] = set()
    for _ in range(deep):
        entered = dict.fromkeys(scope for call in calls for scope in callees(context, call))
        fresh = [scope for scope in entered if scope not in seen]
        yield from fresh
        seen.update(fresh)
        calls = [call for scope in fresh for call in inner(scope)]


def calls_in_each_run(scope: Scope) -> list[ex.Call]:
    """The calls that each run of a function makes."""
    return [call for call in scope.calls if call_always_runs(call, scope.body)]


def calls_below(
    context: AnalysisContext, calls: Iterable[ex.Call], deep: int = DEEP
) -> Iterator[ex.Call]:
    """Some calls, and those that the functions make which they enter."""
    given = list(calls)
    yield from given
    for scope in entered_by(context, given, deep=deep):
        yield from scope.calls


def leading_to(
    context: AnalysisContext, scope: Scope, callers: Callers = callers_of, deep: int = DEEP
) -> Iterator[ex.Call]:
    """The calls that lead to a function, its own callers first."""
    level, seen = [scope], {scope}
    for _ in range(deep):
        calls = [c for s in level if s.kind != "module" for c in callers(context, s)]
        yield from calls
        level = list(dict.fromkeys(call.scope for call in calls if call.scope not in seen))
        seen.update(level)


def origins_of(
    context: AnalysisContext, scope: Scope, callers: Callers = callers_of, deep: int = DEEP
) -> Iterator[Scope]:
    """Where the known paths of calls to a function begin: modules, and what nobody calls.

    Where paths are longer than what is followed, it is where they are left.
    """
    level, seen = [scope], {scope}
    for _ in range(deep):
        calls = {s: list(callers(context, s)) if s.kind != "module" else [] for s in level}
        yield from (s for s, found in calls.items() if not found)
        further = (call.scope for found in calls.values() for call in found)
        level = [s for s in dict.fromkeys(further) if s not in seen]
        seen.update(level)
    yield from level


def chains_to(
    context: AnalysisContext,
    scope: Scope,
    goes_on: Callable[[ex.Call], bool],
    callers: Callers = callers_of,
    deep: int = DEEP,
) -> Iterator[tuple[ex.Call, ...]]:
    """The chains of calls that lead to a function, the call nearest to it first.

    Each part of a chain is given before the chain; beyond a call only where `goes_on` says so.
    """
    chains: list[tuple[ex.Call, ...]] = [()]
    for _ in range(deep):
        further = []
        for chain in chains:
            inside = (scope, *(call.scope for call in chain))
            for call in callers(context, inside[-1]) if inside[-1].kind != "module" else ():
                if call.scope not in inside:
                    yield (*chain, call)
                    further += [(*chain, call)] if goes_on(call) else []
        chains = further


def most_runs(context: AnalysisContext, scope: Scope) -> float:
    """How often a run of the program enters a function, at most; one that repeats it has no end."""
    if scope.kind == "module":
        return 1
    if any(origin.kind != "module" for origin in origins_of(context, scope)):
        return math.inf
    chains = list(chains_to(context, scope, lambda call: True))
    if any(is_repeated(call) or call.name in _APPLYING for chain in chains for call in chain):
        return math.inf
    return sum(chain[-1].scope.kind == "module" for chain in chains)


def only_activation(context: AnalysisContext, scope: Scope) -> CallContext | None:
    """The activation of a function by the one call that is known of it."""
    callers = context.evaluator.callers(scope) if scope.kind == "function" else []
    return callers[0] if len(callers) == 1 else None


def only_way_to(context: AnalysisContext, frame: CallContext) -> Iterator[CallContext]:
    """The activations beyond an outermost one, as long as one call is known of each function."""
    seen: set[CallContext] = set()
    for _ in range(DEEP):
        begun = next((f.caller for f in reversed(frame.chain())), frame) or frame
        entered = only_activation(context, begun.scope)
        if entered is None or entered in seen:
            return
        yield entered
        seen.add(entered)
        frame = entered


def most_loops_around(context: AnalysisContext, scope: Scope) -> int:
    """How many loops and comprehensions, one inside the other, lead to a function at most."""
    chains = chains_to(context, scope, lambda call: True)
    return max((sum(map(_loops_around, chain)) for chain in chains), default=0)


def is_repeated(call: ex.Call) -> bool:
    """Whether a loop or a comprehension of its function may make a call again."""
    return _loops_around(call) > 0


def is_in_comprehension(call: ex.Call) -> bool:
    """Whether a call stands in a comprehension."""
    return _comprehensions_around(call) > 0


def _loops_around(call: ex.Call) -> int:
    """How many loops and comprehensions of its function are around a call."""
    return _comprehensions_around(call) + sum(1 for _ in walk.enclosing_loops(call.statement))


def _comprehensions_around(call: ex.Call) -> int:
    parts = (p for e in walk.expressions(call.statement) for p in walk.walk(e))
    inside = (part for part in parts if isinstance(part, ex.Comprehension))
    return sum(call in walk.walk(comprehension) for comprehension in inside)


def on_every_path(
    context: AnalysisContext,
    scope: Scope,
    found_at: Callable[[ex.Call], tuple[T, ...]],
    callers: Callers = callers_of,
    deep: int = DEEP,
) -> tuple[T, ...]:
    """What each path of calls to a function finds on its way; () where some path has nothing.

    Of one path it is what the nearest call finds.
    """
    return _on_every_path(context, scope, found_at, callers, (), deep)


def _on_every_path(
    context: AnalysisContext,
    scope: Scope,
    found_at: Callable[[ex.Call], tuple[T, ...]],
    callers: Callers,
    path: tuple[Scope, ...],
    deep: int,
) -> tuple[T, ...]:
    if scope.kind == "module" or deep == 0:
        return ()
    path = (*path, scope)
    whole: list[T] = []
    for call in callers(context, scope):
        if call.scope in path:
            continue  # recursion: what led to the first call led to this one
        found = found_at(call) or _on_every_path(
            context, call.scope, found_at, callers, path, deep - 1
        )
        if not found:
            return ()
        whole += found
    return tuple(whole)
