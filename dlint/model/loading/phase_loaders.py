"""Loaders that one call makes for all phases: `{phase: DataLoader(…) for phase in phases}`.

Question: in which phases are they only evaluated, where they train in others? Followed: what
`phases` follows of loops that ask a dict for the loader of a phase. Given up on: loops that leave
off early or pair the batches with others, and calls that make one loader for several phases.

And: do rounds of a comprehension make loaders of which some train, and others are only evaluated,
be it in one loop or in loops of their own, `for x in loaders["val"]`? Followed: keys that are
written out, where one call hands the loader on, too. Given up on: a loop that trains by a loader
whose key is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.keyed_comprehensions import KeyedComprehensions
from dlint.analyses.value_parts import origin_over_calls
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import keeps_length
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.phases import spared_keys
from dlint.model.samples.random_transforms import is_in_rounds

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


def evaluated_phases(loader: Loader) -> tuple[str, ...]:
    """The phases in which nothing is learned from the loaders of a call that trains in others."""
    loops = loader.loops
    if any(loop.stops_early or loop.is_single or loop.is_paired for loop in loops):
        return ()
    outer = (frame.call for frame in loader.made.frame.chain() if frame.call is not None)
    if not any(map(is_in_rounds, (loader.call, *outer))):
        return ()
    found = (key for loop in loops for key in spared_keys(loader.context, loop, loader.made))
    return tuple(dict.fromkeys(found))


def serves_apart(loader: Loader) -> bool:
    """Whether rounds of its call make loaders that train, and others that are only evaluated."""
    if evaluated_phases(loader):
        return True
    trained = {_key_of(loader, loop) for loop in loader.loops if loop.trains}
    evaluated = {_key_of(loader, loop) for loop in loader.loops if is_evaluation(loop)}
    return bool(trained) and None not in trained and bool(evaluated - trained - {None})


def _key_of(loader: Loader, loop: BatchLoop) -> object:
    """The key under which a comprehension has made the loader of a loop by this call."""
    context = loader.context
    origin, frame = origin_over_calls(context, loop.iterable, context.solver.root(loop.scope))
    while isinstance(origin, ex.Call) and positional(origin):
        if not any(map(keeps_length, library_callees(context, origin))):
            return None
        origin, frame = origin_over_calls(context, positional(origin)[0], frame)
    if not isinstance(origin, ex.Subscript):
        return None
    item = context[KeyedComprehensions].item(origin, frame)
    made, key = None if item is None else item[0], ex.constant(origin.index)
    is_own = isinstance(made, ex.Call) and (made.scope, made.span) == (
        loader.call.scope,
        loader.call.span,
    )
    return key.value if is_own and key is not None else None
