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
from dlint.library_facts.frameworks import Duty
from dlint.model.distributed import Distributed
from dlint.model.epochs import EpochLoop, epoch_loops
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.semantics.values.values import TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.distributed import Replica
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
    call, replica = found
    context = loader.context
    message = (
        "this WebDataset has no `nodesplitter`, so with more than one rank its first sample "
        "raises ValueError; pass `nodesplitter=wds.split_by_node`, or `resampled=True`"
    )
    related = (Related(context.place_of(replica.wrap), "the model is trained by several ranks"),)
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


def unsplit_shards(loader: Loader) -> tuple[ex.Call, Replica] | None:
    """A WebDataset that every rank would read in full, and the model that ranks train on it."""
    context = loader.context
    for call in _chain(context, loader):
        if not is_call_to(context, call, known.WEBDATASET):
            continue
        names = {a.keyword for a in call.arguments} | {a.star for a in call.arguments if a.star}
        if names & (known.SPLITTING | {"*", "**"}):
            return None
        replica = next(context[Distributed].replicas(loader), None)
        return None if replica is None else (call, replica)
    return None


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
