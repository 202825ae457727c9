"""Models that normalize the batches of a loop.

Question: which batch norm does a training loop run on each batch of a loader? Followed: calls that
every round makes with a batch, or with a part of it that is copied or converted, and those that
each run of a function makes which the round hands a batch to. Given up on: what may be another
batch, functions with something in evaluation mode, and errors that are handled. What a norm makes
of one sample is said by
`dlint.model.loops.batch_norms`.
Budget: `DEEP` functions one inside the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by
from dlint.analyses.control.call_paths import DEEP, calls_in_each_run, leading_to
from dlint.analyses.control.caught import is_caught
from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir.module import Loop
from dlint.library_facts.batch_norms import SAME_CALLS
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.batch_norms import PointNorm, point_norm
from dlint.model.worth.volume import volume_of
from dlint.semantics.values.values import Batch, Value

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.semantics.calls.call_contexts import CallContext

_MODES = frozenset({"eval", "train"})


def norm_on_batches(loader: Loader, loop: BatchLoop) -> PointNorm | None:
    """The norm in the model that each round calls on the batch, in train mode."""
    for called in _calls_on_batches(loader, loop):
        if not _is_frozen(loop, called.inside):
            norm = point_norm(loader.context, called.call, _dimensions(loader, called))
            if norm is not None:
                return norm
    return None


class _Called(NamedTuple):
    """A call with a batch first, in an activation, and the functions it lies in, the nearest first.

    These are what the round enters; the function of the loop is none of them.
    """

    call: ex.Call
    given: ex.Expression
    frame: CallContext
    inside: tuple[Scope, ...] = ()


def _calls_on_batches(loader: Loader, loop: BatchLoop) -> Iterator[_Called]:
    """The calls that each round gives a batch, or that each run of what it enters gives one."""
    statement = loop.statement
    if loop.body is None or not isinstance(statement, Loop):
        return
    context = loader.context
    own = (call for call in calls_in(loop.body) if runs_each_round(call, statement))
    raising = (call for call in own if not is_caught(context, call.statement, statement))
    yield from _on_batches(loader, raising, context.solver.root(loop.scope), ())


def _on_batches(
    loader: Loader, calls: Iterable[ex.Call], frame: CallContext, inside: tuple[Scope, ...]
) -> Iterator[_Called]:
    for call in calls:
        given = next(iter(positional(call)), None)
        if given is None:
            continue
        if _is_batch(loader, loader.context.solver.values(_source(given), frame)):
            yield _Called(call, given, frame, inside)
            yield from _entered(loader, call, frame, inside)


def _entered(
    loader: Loader, call: ex.Call, frame: CallContext, inside: tuple[Scope, ...]
) -> Iterator[_Called]:
    """The same of the calls of the one function that a call of it certainly runs."""
    entered = list(entered_by(loader.context, call, frame)) if len(inside) < DEEP else []
    scope, inner = entered[0] if len(entered) == 1 else (None, frame)
    if scope is None or scope in inside or scope.yields or scope.is_async or scope.decorators:
        return
    own = (c for c in calls_in_each_run(scope) if not is_caught(loader.context, c.statement))
    yield from _on_batches(loader, own, inner, (scope, *inside))


def _is_batch(loader: Loader, values: Iterable[Value]) -> bool:
    """Whether values are batches of a loader, whichever activation has made it."""
    found = [v.loader for v in values if isinstance(v, Batch)]
    one_call = all(made.call is loader.made.call for made in found)
    return loader.made in found and one_call and len(found) == len(list(values))


def _source(given: ex.Expression) -> ex.Expression:
    """The part of a batch that is given, before it is copied or converted."""
    part = given
    while True:
        made = _paired(origin_of(part))
        callee = made.function if isinstance(made, ex.Call) else None
        if not isinstance(made, ex.Call) or not isinstance(callee, ex.Attribute):
            return part
        if made.name not in SAME_CALLS:
            return part
        part = callee.value


def _paired(made: ex.Expression) -> ex.Expression:
    """The part of a tuple that a name is bound to: `x, y = x.to(device), y.to(device)`."""
    display = made.value if isinstance(made, ex.Item) and not made.starred else None
    if not isinstance(made, ex.Item) or not isinstance(display, ex.Sequence):
        return made
    plain = not any(isinstance(item, ex.Starred) for item in display.items)
    return display.items[made.position] if plain else made


def _is_frozen(loop: BatchLoop, inside: tuple[Scope, ...]) -> bool:
    """Whether something is switched to evaluation and nothing back: `model.eval()`.

    In the functions that the round enters or the loop's own, the nearest that sets a mode; where
    none does, in those that lead to it.
    """
    leading = (call.scope for call in leading_to(loop.context, loop.scope))
    scopes = [*inside, loop.scope, *leading]
    modes = ({call.name for call in scope.calls} & _MODES for scope in scopes)
    return next(filter(None, modes), set()) == {"eval"}


def _dimensions(loader: Loader, called: _Called) -> int | None:
    """The dimensions of the part of a batch that a call is given; None where not known."""
    sample = volume_of(loader).data.sample
    part, frame = origin_of(_source(called.given)), called.frame
    while isinstance(part, ex.Parameter) and (handed := frame.given(part.name)) is not None:
        part, frame = origin_of(_source(handed[0])), handed[1]
    position = part.position if isinstance(part, ex.Item) else 0
    if not sample or position >= len(sample):
        return None
    return len(sample[position].dims) + 1
