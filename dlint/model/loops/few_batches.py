"""Loaders and loops of which all steps of a run are known to be few: their cost is no matter."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.call_paths import most_runs
from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.control.rounds import most_rounds
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Return
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_any
from dlint.model.loops.gradients import runs_without_gradients
from dlint.model.loops.loop_limits import begins_anew, most_batches, most_samples
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import FEW_STEPS, has_few_steps, overlapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dlint.analyses.control.path_tests import PathTest
    from dlint.findings.places import Span
    from dlint.ir.module import Scope, Statement
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.transfers.batch_copies import Way
    from dlint.model.transfers.transfers import Transfer

_FEW = 10
"""Batches of one pass."""


def takes_few_steps(loader: Loader) -> bool:
    """Whether every loop over a loader is known to take few steps, in all its epochs.

    Steps so large that their copies can be noticed are not few.
    """
    volume = volume_of(loader)
    if has_few_steps(volume) and not overlapping(volume).is_noticeable:
        return True
    if loader.context[Consumption].of(loader.made):
        return False
    return bool(loader.loops) and all(map(is_short, loader.loops))


def begins_anew_for_each_batch(loader: Loader) -> bool:
    """Whether all its batches are asked for by `next(iter(loader))`: workers would start for each.

    A loader that a framework iterates is asked for more than that.
    """
    asking = [x for x in loader.loops if x.is_single and _begun(x) is not None]
    statements = {s for loop in asking for s in (loop.statement, _begun(loop))}
    return bool(asking) and all(loop.statement in statements for loop in loader.loops)


def _begun(loop: BatchLoop) -> Statement | None:
    """Where the iterator is made that gives the batch: there, or before in the same block."""
    made = origin_of(loop.iterable)
    if not isinstance(made, ex.Call) or made.name not in ("iter", "__iter__"):
        return None
    return made.statement if made.statement.block is loop.statement.block else None


def is_asked_now_and_then(loader: Loader) -> bool:
    """Whether a batch is asked for in one step of several only: `if step % 100 == 0`.

    Where the iterator of these batches is made says nothing of it.
    """
    asking = [x for x in loader.loops if x.is_restart or not x.begins_only]
    return bool(asking) and all(map(_asks_now_and_then, asking))


def _asks_now_and_then(loop: BatchLoop) -> bool:
    if not loop.is_restart and not loop.is_single:
        return False
    if not runs_now_and_then(loop.scope, loop.statement.span):
        return False
    return loop.is_single or not _learns_then(loop)


def is_only_looked_at(loader: Loader) -> bool:
    """Whether single batches of a loader are asked for beside all training: once by a function, or
    in one step of several. Who gets a batch from a function may learn from it.
    """
    if loader.context[Consumption].of(loader.made):
        return False
    asking = [x for x in loader.loops if not x.is_in_generator]
    return bool(asking) and all(map(_is_a_look, asking))


def _is_a_look(loop: BatchLoop) -> bool:
    if not loop.is_single or calls_any(loop.context, loop.scope.body, GRADIENT_STEPS):
        return False
    if any(isinstance(s, Return) and s.value for s in walk.statements(loop.scope.body)):
        return False
    calls = callers_of(loop.context, loop.scope)
    seldom = bool(calls) and all(runs_now_and_then(call.scope, call.span) for call in calls)
    return seldom or not any(walk.enclosing_loops(loop.statement))


def is_of_few_steps(way: Way, copy: ex.Call) -> bool:
    """Whether a loop comes to a copy in one step of several only: `if step % 100 == 0`.

    So it is with the batch of a `next(iter(loader))` that stands behind such a test, or that is
    asked for where no gradients are taken.
    """
    if way.entry is None and _is_looked_at(way.loop):
        return True
    call, loop = way.entry or copy, way.loop.statement
    tests = tests_before(call.scope, call.span)
    inside = (t for t in tests if call.scope is not way.loop.scope or loop.span < t.test.span)
    return _is_seldom(inside)


def _is_looked_at(asked: BatchLoop) -> bool:
    """Whether nothing learns from the first batch of a loader, begun anew for it alone."""
    if not asked.begins_only and (not asked.is_single or _begun(asked) is None):
        return False
    if runs_without_gradients(asked.context, asked.statement, asked.scope):
        return True
    return _is_seldom(tests_before(asked.scope, asked.statement.span)) and not _learns_then(asked)


def _is_seldom(tests: Iterable[PathTest]) -> bool:
    parts = (part for test, truth in tests for part in conjuncts(test, truth=truth))
    return any(_holds_seldom(part, truth=truth) for part, truth in parts)


def _holds_seldom(test: ex.Expression, *, truth: bool) -> bool:
    """Whether a remainder is asked to be one number, or to be 0."""
    test = ex.unnamed(test)
    if isinstance(test, ex.Comparison):
        return truth is (test.operator == "==") and _asks_remainder(test)
    return not truth and isinstance(test, ex.Binary) and test.operator == "%"


def runs_now_and_then(scope: Scope, span: Span) -> bool:
    """Whether code of a function runs in one round of several only: `if epoch % 5 == 0`."""
    tests = tests_before(scope, span)
    parts = (part for test, truth in tests for part, _ in conjuncts(test, truth=truth))
    return any(map(_asks_remainder, parts))


def _asks_remainder(test: ex.Expression) -> bool:
    parts = walk.walk(ex.unnamed(test))
    return any(isinstance(p, ex.Binary) and p.operator == "%" for p in parts)


def _learns_then(loop: BatchLoop) -> bool:
    """Whether a gradient is taken in the steps that ask for a batch: these may be every other."""
    statements = (loop.statement, *walk.ancestors(loop.statement))
    blocks = [s.block for s in statements if isinstance(s.block.owner, If)]
    asked = [b for b in blocks if isinstance(b.owner, If) and _asks_remainder(b.owner.test)]
    return not asked or calls_any(loop.context, asked[0], GRADIENT_STEPS)


def are_copied_now_and_then(loader: Loader, copies: list[Transfer]) -> bool:
    """Whether all that is copied is asked for in one step of several: by `next(iter(loader))`, or
    of an iterator that was made before, where nothing learns from it.
    """
    asked = [x for x in loader.loops if _asks_now_and_then(x)]
    if any(_begun(x) is None and _learns_then(x) for x in asked):
        return False
    scopes = [x.scope for x in asked]
    return bool(copies) and all(
        (scope := _function_of(copy.call)) in scopes and runs_now_and_then(scope, copy.call.span)
        for copy in copies
    )


def _function_of(call: ex.Call) -> Scope:
    """The function that makes a call, itself or by a lambda."""
    scope = call.scope
    while scope.kind == "lambda" and scope.parent is not None:
        scope = scope.parent
    return scope


def is_short(loop: BatchLoop) -> bool:
    """Whether a loop says itself that it takes few steps, as often as a run comes to it."""
    most = _most_steps(loop)
    again = loop.outer_loops[1:] if begins_anew(loop) else loop.outer_loops
    rounds = [most_rounds(loop.context, one, loop.scope) for one in again]
    if most is None or None in rounds:
        return False
    often = prod(max(1, number) for number in rounds if number is not None)
    return most * often * most_runs(loop.context, loop.scope) <= FEW_STEPS.value


def reads_few_at_a_time(loader: Loader) -> bool:
    """Whether each pass over a loader ends after a few batches: workers would start for these."""
    if loader.context[Consumption].of(loader.made):
        return False
    most = [_most_steps(loop) for loop in loader.loops]
    return bool(most) and all(number is not None and number <= _FEW for number in most)


def _most_steps(loop: BatchLoop) -> int | None:
    """How many batches one run of a loop reads at most, by a count of them or of their samples."""
    most = most_batches(loop, with_defaults=True)
    samples = most_samples(loop) if most is None else None
    if samples is None:
        return most
    loaders = loop.context[Loaders]
    sizes = [volume_of(loaders.of(made)).batch_size for made in loop.loaders]
    least = min((1 if size is None else size.low for size in sizes), default=1)
    return ceil(samples / max(1, least)) + 1
