"""stream-library-setup: streams of other libraries that lack what several epochs or ranks need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, is_call_to
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.library_facts import stream_libraries as known
from dlint.library_facts.distributed import RANKED
from dlint.library_facts.frameworks import Duty
from dlint.model import sharding
from dlint.model.distributed import Distributed
from dlint.model.epochs import EpochLoop, epoch_loops
from dlint.model.frameworks import Consumption
from dlint.model.launchers import Launchers
from dlint.model.loaders import Loaders
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, TRUE, AllocationSite, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Shuffled streams whose epoch nobody sets, and shards that nobody gives to ranks."""
    reported: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            for finding in (_order(loader), _shards(loader)):
                if finding is not None and finding.place not in reported:
                    reported.add(finding.place)
                    yield finding


def _order(loader: Loader) -> Finding | None:
    found = unordered_stream(loader)
    if found is None:
        return None
    shuffle, epoch = found
    message = (
        "nothing calls `set_epoch` on this stream, so `shuffle` gives the same order in every "
        "epoch; call `set_epoch(epoch)` on the dataset first in each epoch"
    )
    related = (
        Related(Place(epoch.scope.module.path, *epoch.loop.header), "the epochs are counted here"),
        Related(loader.place, "the loader takes its order from the stream"),
    )
    return Finding(Severity.ERROR, message, loader.context.place_of(shuffle), related)


def _shards(loader: Loader) -> Finding | None:
    found = unsplit_shards(loader)
    if found is None:
        return None
    call, launch = found
    context = loader.context
    message = (
        "this WebDataset has no `nodesplitter`, so with more than one rank its first sample "
        "raises ValueError; pass `nodesplitter=wds.split_by_node`, or `resampled=True`"
    )
    if not is_call_to(context, call, known.WEBDATASET):
        message = (
            "no stage of this pipeline splits the shards among the ranks, so all of them read the "
            "same samples; put `wds.split_by_node` behind the list of shards"
        )
    related = (Related(context.place_of(launch), "the model is trained by several ranks"),)
    return Finding(Severity.ERROR, message, context.place_of(call), related)


_CHAIN = 24


def unordered_stream(loader: Loader) -> tuple[ex.Call, EpochLoop] | None:
    """A shuffled Hugging Face stream, and a loop over several epochs that sets none of them."""
    context = loader.context
    shuffle = _shuffled(context, loader)
    if shuffle is None or any(calls_anywhere(context, "set_epoch")):
        return None
    if context[Consumption].takes_over(loader.made, Duty.SETS_EPOCH) is not None:
        return None
    for epoch in epoch_loops(loader):
        start, end = epoch.loop.span
        renewed = epoch.scope is shuffle.scope and start <= shuffle.span[0] < end
        if not renewed:
            return shuffle, epoch
    return None


def _shuffled(context: AnalysisContext, loader: Loader) -> ex.Call | None:
    calls = list(_chain(context, loader))
    shuffles = [call for call in calls if call.name == "shuffle"]
    return shuffles[0] if shuffles and any(_is_stream(context, call) for call in calls) else None


def _is_stream(context: AnalysisContext, call: ex.Call) -> bool:
    if is_call_to(context, call, known.HF_STREAMS):
        return True
    if not is_call_to(context, call, known.HF_LOADERS):
        return False
    return bind(context, call).values("streaming") == {TRUE}


def unsplit_shards(loader: Loader) -> tuple[ex.Call, ex.Call] | None:
    """A WebDataset that every rank would read in full, and the call that makes the ranks."""
    for call in _chain(loader.context, loader):
        unsplit = _is_unsplit(loader.context, call)
        if unsplit is not None:
            ranks = _ranks(loader) if unsplit else None
            return None if ranks is None or _is_cut(loader) else (call, ranks)
    return None


def _is_unsplit(context: AnalysisContext, call: ex.Call) -> bool | None:
    """Whether ranks certainly share what a call of webdataset's yields; None for other calls."""
    if is_call_to(context, call, known.WEBDATASET):
        bound = bind(context, call)
        given = {a.value for a in bound.alternatives(known.RESAMPLED)}
        stars = any(a.star for a in call.arguments)
        return not stars and not bound.may_be_given(known.NODE_SPLITTER) and given <= _OFF
    if not is_call_to(context, call, known.PIPELINE):
        return None
    stages = [path for a in call.arguments for path in _stages(context, a, call.scope)]
    first = bool(stages) and stages[0] in known.SHARD_LISTS
    names = {path.rpartition(".")[2] for path in stages}
    all_known = all(path.startswith(known.WEB) for path in stages)
    return first and all_known and not names & {known.BY_NODE, *known.CUTTING}


_OFF = frozenset({ABSENT, FALSE, NONE})


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
    dataset = loader.given("dataset")
    return dataset is not None and sharding.speaks_of(loader.context, *dataset, RANKED)


def _chain(context: AnalysisContext, loader: Loader) -> Iterator[ex.Call]:
    """The calls, one on the result of the other, that make what the loader is given."""
    given = loader.given("dataset")
    if given is None:
        return
    expression: ex.Expression = given[0]
    scope = given[1].scope
    for _ in range(_CHAIN):
        match expression:
            case ex.Reference() if expression.definition is not None:
                definition = expression.definition
                expression, scope = definition.value, definition.scope
            case ex.Reference():
                found = _outer(scope, expression.name)
                if found is None:
                    return
                expression, scope = found
            case ex.Subscript() | ex.Attribute():
                expression = expression.value
            case ex.Call():
                yield expression
                if not isinstance(expression.function, ex.Attribute):
                    return
                expression = expression.function.value
            case _:
                return


def _outer(scope: Scope, name: str) -> tuple[ex.Expression, Scope] | None:
    """The one definition of a name in the scopes around."""
    outer = scope.parent
    while outer is not None:
        found = list(outer.bindings(name))
        if found:
            return (found[0].value, outer) if len(found) == 1 else None
        outer = outer.parent
    return None
