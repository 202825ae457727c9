"""Steps that cost so much more than the copies of their batch that these are no matter.

Question: is it known of a loop that evaluates that each step runs a network on one sample alone, or
again and again on the same batch, also where only that part is known to take no gradients? Nobody
notices the copy before that. Followed: the batch size of the loader; in the body itself, methods
that draw samples from a network and are given the batch (`model.sample(condition=x)`), and loops
that give a network what the round before made, also in the functions that the body calls, but
those of networks themselves. A loop that takes gradients evaluates where it attacks a network by
them. Given up on: loops that may train. Budget: two calls deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.repetition import contains
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Loop, Scope
from dlint.library_facts.tensors import NO_BATCHES
from dlint.model.loading.roles import is_only_evaluated
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.gradients import runs_without_gradients
from dlint.model.loops.modes import only_attacks
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import overlapping
from dlint.semantics.values.values import Batch, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_DRAWING = lazily(
    r"_*((p|ddim|ddpm|plms|dpm)_)?sample(_loop|_batch|_images?)*(_progressive)?|generate"
)
"""Methods that draw samples from a network: one pass of it for each token, or step of a chain."""
_NETWORK = lazily(r"(^|_)(model|net|network|unet|decoder|denoiser|generator|transformer)", re.I)
_COUNTING = lazily(r"^(range|trange|count)$|steps?$|^times?(_|$)|^sigmas$")
_DEEP = 2


def dwarf_copies(loader: Loader) -> bool:
    """Whether all that is done with a loader's batches costs so much more than copying them."""
    if not loader.loops:
        return is_only_evaluated(loader) and _gives_one_sample(loader)
    return all(dwarfs_copies(loop, [loader]) for loop in loader.loops)


def dwarfs_copies(loop: BatchLoop, loaders: Iterable[Loader]) -> bool:
    """Whether a step of a loop over some loaders costs so much more than its copies."""
    if loop.trains:
        return only_attacks(loop) and runs_network_repeatedly(loop)
    if not is_evaluation(loop):
        frozen = (runs_without_gradients(loop.context, *one) for one in _self_feeding(loop))
        return any(frozen)
    return all(map(_gives_one_sample, loaders)) or runs_network_repeatedly(loop)


def _gives_one_sample(loader: Loader) -> bool:
    """Whether a batch is one sample, which is not known to be large."""
    volume = volume_of(loader)
    size = volume.batch_size
    return size is not None and size.high == 1 and not overlapping(volume).is_noticeable


def runs_network_repeatedly(loop: BatchLoop) -> bool:
    """Whether a step runs a network again and again for one batch."""
    if loop.body is None or loop.is_single:
        return False
    drawn = any(_draws(loop, call) for call in calls_in(loop.body))
    return drawn or any(True for _ in _self_feeding(loop))


def _draws(loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a method draws samples from a network by what it is given of the batch."""
    if not isinstance(call.function, ex.Attribute) or not _DRAWING.fullmatch(call.name or ""):
        return False
    if any(isinstance(v, External) for v in loop.context.values(call.function, call.scope)):
        return False
    parts = (part for a in call.arguments for part in parts_in_function(a.value))
    values = (value for part in parts for value in loop.context.values(part, call.scope))
    return any(isinstance(value, Batch) and value.loader in loop.loaders for value in values)


def _self_feeding(loop: BatchLoop) -> Iterator[tuple[Loop, Scope]]:
    """The loops in a step that give a network its own results, each with its function."""
    if loop.body is None or loop.is_single:
        return
    context = loop.context
    entered = entered_by(context, calls_in(loop.body), deep=_DEEP)
    outside = [scope for scope in entered if not _is_of_network(context, scope)]
    for block, scope in ((loop.body, loop.scope), *((s.body, s) for s in outside)):
        yield from ((inner, scope) for inner in _counting(block) if _feeds_itself(inner))


def _is_of_network(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function belongs to a network, whose layers follow one another."""
    owner = scope.owner
    return owner is not None and not NO_BATCHES.isdisjoint(context.solver.classes.externals(owner))


def _counting(block: Block) -> Iterator[Loop]:
    """The loops in a block that count, or go on until something is found."""
    for statement in walk.statements(block):
        if isinstance(statement, Loop):
            parts = () if statement.source is None else walk.walk(statement.source)
            names = [p.name for p in parts if isinstance(p, ex.Reference | ex.Attribute)]
            if statement.iterable is None or any(map(_COUNTING.search, names)):
                yield statement


def _feeds_itself(inner: Loop) -> bool:
    """Whether each round gives a network what the round before made.

    `x = model(x, step)`, `x = denoised(x, model(x, step))`, `xs.append(…)` behind `model(xs[-1])`.
    """
    calls = [call for call in calls_in(inner.body) if _is_network(call.function)]
    grown = {name for call in calls_in(inner.body) if (name := _appended_to(call)) is not None}
    parts = (p for c in calls for a in c.arguments for p in parts_in_function(a.value))
    return any(
        isinstance(part, ex.Reference) and (part.name in grown or _is_renewed(part, inner))
        for part in parts
    )


def _is_renewed(name: ex.Reference, inner: Loop) -> bool:
    """Whether a round meets what the one before bound to a name."""
    made = None if name.definition is None else name.definition.value
    sides = made.alternatives if isinstance(made, ex.Join) else ()
    return any(contains(inner.span, origin_of(side).span) for side in sides)


def _appended_to(call: ex.Call) -> str | None:
    """The list that a call adds to."""
    callee = call.function
    if not isinstance(callee, ex.Attribute) or callee.name != "append":
        return None
    return callee.value.name if isinstance(callee.value, ex.Reference) else None


def _is_network(callee: ex.Expression) -> bool:
    """Whether a name says that a network is called, itself or by one of its methods."""
    names = (p.name for p in walk.walk(callee) if isinstance(p, ex.Reference | ex.Attribute))
    return any(map(_NETWORK.search, names))
