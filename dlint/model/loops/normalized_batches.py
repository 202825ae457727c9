"""Models that normalize the batches of a loop.

Question: which batch norm does a training loop run on each batch of a loader? Followed: calls that
every round makes with a batch, or with a part of it that is copied or converted. Given up on: what
may be another batch, functions with something in evaluation mode, and errors that are handled. What
a norm makes of one sample is said by `dlint.model.loops.batch_norms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import leading_to
from dlint.analyses.control.caught import is_caught
from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
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

_PARTS = frozenset({"modules", "named_modules", "children", "named_children", "apply"})
_MODES = frozenset({"eval", "train"})


def norm_on_batches(loader: Loader, loop: BatchLoop) -> PointNorm | None:
    """The norm in the model that each round calls on the batch, in train mode."""
    if _is_frozen(loop):
        return None
    found = (point_norm(loader.context, *called) for called in _models_called(loader, loop))
    return next((norm for norm in found if norm is not None), None)


def _models_called(loader: Loader, loop: BatchLoop) -> Iterator[tuple[ex.Call, int | None]]:
    """The calls that each round gives a batch, and how many dimensions it has, where known."""
    statement = loop.statement
    if loop.body is None or not isinstance(statement, Loop):
        return
    for call in calls_in(loop.body):
        given = next(iter(positional(call)), None)
        if given is None or not runs_each_round(call, statement):
            continue
        if is_caught(loader.context, call.statement, statement):
            continue
        if _is_batch(loader, loader.context.values(_source(given), call.scope)):
            yield call, _dimensions(loader, given)


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


def _is_frozen(loop: BatchLoop) -> bool:
    """Whether something is switched to evaluation and nothing back: `model.eval()`.

    In the loop's function; where that sets no mode, in those that lead to it. Or whether these, or
    what they call, go through the parts of a model and may leave its norms in evaluation.
    """
    context = loop.context
    scopes = [loop.scope, *(call.scope for call in leading_to(context, loop.scope))]
    modes = ({call.name for call in scope.calls} & _MODES for scope in scopes)
    if next(filter(None, modes), set()) == {"eval"}:
        return True
    entered = (s for scope in scopes for call in scope.calls for s in callees_of(context, call))
    return any(_goes_through_parts(scope) for scope in chain(scopes, entered))


def _goes_through_parts(scope: Scope) -> bool:
    """Whether a function, or a lambda in it, sets parts of a model to evaluation."""
    inner = (s for s in walk.inner_scopes(scope) if s.kind == "lambda")
    names = {call.name for each in (scope, *inner) for call in each.calls}
    return "eval" in names and not names.isdisjoint(_PARTS)


def _dimensions(loader: Loader, given: ex.Expression) -> int | None:
    """The dimensions of the part of a batch that an expression is; None where not known."""
    sample = volume_of(loader).data.sample
    part = origin_of(_source(given))
    position = part.position if isinstance(part, ex.Item) else 0
    if not sample or position >= len(sample):
        return None
    return len(sample[position].dims) + 1
