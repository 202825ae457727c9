"""Loaders and loops of which all steps of a run are known to be few: their cost is no matter."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import most_runs
from dlint.analyses.control.rounds import most_rounds
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.loop_limits import begins_anew, most_batches, most_samples
from dlint.model.volume import volume_of
from dlint.model.worth import FEW_STEPS, has_few_steps, overlapping

if TYPE_CHECKING:
    from dlint.ir.module import Statement
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop
    from dlint.model.transfers import Transfer


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
    """Whether a batch is asked for in one step of several only: `if step % 100 == 0`."""
    return bool(loader.loops) and all(map(_asks_now_and_then, loader.loops))


def _asks_now_and_then(loop: BatchLoop) -> bool:
    return loop.is_single and _runs_now_and_then(loop.statement)


def _runs_now_and_then(statement: Statement) -> bool:
    return any(
        isinstance(part, ex.Binary) and part.operator == "%"
        for test, _ in walk.tests(statement)
        for part in walk.walk(test)
    )


def are_copied_now_and_then(loader: Loader, copies: list[Transfer]) -> bool:
    """Whether all that is copied is what `next(iter(loader))` gives in one step of several."""
    loops = [x for x in loader.loops if _asks_now_and_then(x) and _begun(x) is not None]
    scopes = [loop.scope for loop in loops]
    return bool(copies) and all(
        copy.call.scope in scopes and _runs_now_and_then(copy.call.statement) for copy in copies
    )


def is_short(loop: BatchLoop) -> bool:
    """Whether a loop says itself that it takes few steps, as often as a run comes to it."""
    most = _most_steps(loop)
    again = loop.outer_loops[1:] if begins_anew(loop) else loop.outer_loops
    rounds = [most_rounds(loop.context, one, loop.scope) for one in again]
    if most is None or None in rounds:
        return False
    often = prod(max(1, number) for number in rounds if number is not None)
    return most * often * most_runs(loop.context, loop.scope) <= FEW_STEPS.value


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
