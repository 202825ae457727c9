"""Streams of other libraries, and what they lack for several epochs or ranks.

Question: which shuffled stream of Hugging Face keeps one order, for nothing sets its epoch, and
which WebDataset is read in full by every rank? Followed is the chain of calls, one on the result of
the other, that makes what a loader is given, through functions and properties of the project.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import steps
from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, is_call_to
from dlint.analyses.value_parts import origin_over_calls, parts_behind
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.ir.walk import bindings_of
from dlint.library_facts import stream_libraries as known
from dlint.library_facts.distributed import RANKED
from dlint.library_facts.frameworks import Duty
from dlint.model.data import sharding
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.epochs import EpochLoop, epoch_loops
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.launchers import Launchers
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import TRUE, AllocationSite, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_CHAIN = 24
_FAR = 6


class UnorderedStream(NamedTuple):
    """Where a stream is shuffled, and a loop of epochs that all have one order."""

    shuffle: Place
    epochs: EpochLoop


def unordered_stream(loader: Loader) -> UnorderedStream | None:
    """A shuffled Hugging Face stream, and a loop over several epochs that sets none of them."""
    context = loader.context
    shuffle = _shuffled(context, loader)
    if shuffle is None or any(calls_anywhere(context, "set_epoch")):
        return None
    if context[Consumption].takes_over(loader.made, Duty.SETS_EPOCH) is not None:
        return None
    for epoch in epoch_loops(loader):
        start, end = epoch.loop.span
        renewed = (
            shuffle.scope in epoch.inside
            or (epoch.scope is shuffle.scope and start <= shuffle.span[0] < end)
            or (epoch.makes(loader.made) and "property" in attributes.decorators(shuffle.scope))
        )
        if not renewed:
            return UnorderedStream(context.place_of(shuffle), epoch)
    return None


def _shuffled(context: AnalysisContext, loader: Loader) -> ex.Call | None:
    calls = list(_chain(loader))
    shuffles = [call for call in calls if call.name == "shuffle"]
    return shuffles[0] if shuffles and any(_is_stream(context, call) for call in calls) else None


def _is_stream(context: AnalysisContext, call: ex.Call) -> bool:
    if is_call_to(context, call, known.HF_STREAMS):
        return True
    if not is_call_to(context, call, known.HF_LOADERS):
        return False
    return bind(context, call).values("streaming") == {TRUE}


class UnsplitShards(NamedTuple):
    """A WebDataset that every rank would read in full, and the call that makes the ranks."""

    place: Place
    ranks: Place
    is_pipeline: bool
    """Whether its stages are written out one after the other, so that none is added by itself."""


def unsplit_shards(loader: Loader) -> UnsplitShards | None:
    """The WebDataset behind a loader, if no rank takes shards of its own."""
    context = loader.context
    for call in _chain(loader):
        unsplit = _is_unsplit(context, call)
        if unsplit is not None:
            ranks = _ranks(loader) if unsplit else None
            if ranks is None or _is_cut(loader):
                return None
            is_pipeline = not is_call_to(context, call, known.WEBDATASET)
            return UnsplitShards(context.place_of(call), context.place_of(ranks), is_pipeline)
    return None


def _is_unsplit(context: AnalysisContext, call: ex.Call) -> bool | None:
    """Whether ranks certainly share what a call of webdataset's yields; None for other calls."""
    if is_call_to(context, call, known.WEBDATASET):
        bound = bind(context, call)
        resampled = any(not a.is_off for a in bound.alternatives(known.RESAMPLED))
        stars = any(a.star == "*" for a in call.arguments)
        return not stars and not bound.may_be_given(known.NODE_SPLITTER) and not resampled
    if not is_call_to(context, call, known.PIPELINE):
        return None
    stages = [path for a in call.arguments for path in _stages(context, a, call.scope)]
    first = bool(stages) and stages[0] in known.SHARD_LISTS
    names = {path.rpartition(".")[2] for path in stages}
    all_known = all(path.startswith(known.WEB) for path in stages)
    return first and all_known and not names & {known.BY_NODE, *known.CUTTING}


def _stages(context: AnalysisContext, argument: ex.Argument, scope: Scope) -> Iterator[str]:
    """The library callables that a stage may be; an empty path for anything else."""
    values = () if argument.star else context.values(argument.value, scope)
    for value in values or (None,):
        if isinstance(value, AllocationSite):
            value = value.origin
        yield value.path if isinstance(value, External) else ""


def _ranks(loader: Loader) -> ex.Call | None:
    """What makes several ranks train on a loader's batches; None where nothing is seen to."""
    context = loader.context
    launchers = (one for one in context[Launchers].of(loader) if one.is_distributed)
    replicas = context[Distributed].replicas(loader)
    return next((one.call for one in launchers), None) or next((r.wrap for r in replicas), None)


def _is_cut(loader: Loader) -> bool:
    """Whether the shards may be one rank's already."""
    context = loader.context
    for whole, scope in _made_of(loader):
        root = context.solver.root(scope)
        parts = _choosing(context, whole, root) if isinstance(whole, ex.Call) else (whole,)
        deep = _FAR if isinstance(whole, ex.Call) else 1
        for part in parts:
            if sharding.speaks_of(context, part, root, RANKED, deep):
                return True
            if any(map(_takes_some, parts_behind(context, part, root, deep))):
                return True
    return False


def _choosing(
    context: AnalysisContext, call: ex.Call, frame: CallContext
) -> Iterator[ex.Expression]:
    """The arguments of a call that may say which samples there are.

    Those of a function of the project count where it uses them.
    """
    measures = isinstance(call.function, ex.Attribute) and call.name in known.MEASURING
    if not measures and not any(True for _ in steps(context, call, frame)):
        yield from (argument.value for argument in call.arguments)


def _takes_some(part: ex.Expression) -> bool:
    """`urls[a::b]`: every n-th, by a number that is not written there."""
    step = part.bounds[2] if isinstance(part, ex.Slice) else None
    return step is not None and not isinstance(step, ex.Constant)


def _chain(loader: Loader) -> Iterator[ex.Call]:
    """The calls, one on the result of the other, that make what the loader is given."""
    yield from (part for part, _ in _made_of(loader) if isinstance(part, ex.Call))


def _made_of(loader: Loader) -> Iterator[tuple[ex.Expression, Scope]]:
    """What the loader is given, and what that is taken from, step by step."""
    given = loader.given("dataset")
    found = None if given is None else (given[0], given[1].scope)
    for _ in range(_CHAIN):
        if found is None:
            return
        yield found
        found = _before(loader.context, *found)


def _before(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> tuple[ex.Expression, Scope] | None:
    """What the result of an expression is taken from, one step back."""
    if isinstance(expression, ex.Call | ex.Attribute):
        made = list(steps(context, expression, context.solver.root(scope)))
        if made:
            return (made[0][0], made[0][1].scope) if len(made) == 1 else None
    match expression:
        case ex.Parameter():
            origin, frame = origin_over_calls(context, expression, context.solver.root(scope))
            return None if isinstance(origin, ex.Parameter) else (origin, frame.scope)
        case ex.Reference() if expression.definition is not None:
            return expression.definition.value, expression.definition.scope
        case ex.Reference():
            return _outer(scope, expression.name)
        case ex.Subscript() | ex.Attribute():
            return expression.value, scope
        case ex.Call() if isinstance(expression.function, ex.Attribute):
            return expression.function.value, scope
    return None


def _outer(scope: Scope, name: str) -> tuple[ex.Expression, Scope] | None:
    """The one definition of a name in the scopes around."""
    outer = scope.parent
    while outer is not None:
        found = bindings_of(outer, name)
        if found:
            return (found[0].value, outer) if len(found) == 1 else None
        outer = outer.parent
    return None
