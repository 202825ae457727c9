"""What stands at a place: loaders, samplers, loops over batches, copies of batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.explain.values import ToldArgument, told_arguments
from dlint.findings.diagnostic import Related
from dlint.findings.places import Place
from dlint.library_facts.loaders import ARGUMENTS, DEFAULTS
from dlint.library_facts.samplers import DISTRIBUTED_ARGUMENTS, DISTRIBUTED_DEFAULTS
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.model.worth.worth import amount

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.samplers.distributed_samplers import Sampler
    from dlint.model.transfers.transfers import Transfer

_MOST_PLACES = 6


class Seen(NamedTuple):
    """One object, as it is told, with what stands for it in the model."""

    kind: str
    place: Place
    arguments: tuple[ToldArgument, ...]
    facts: tuple[str, ...]
    related: tuple[Related, ...]
    asked_as: tuple[object, ...]
    """The objects of the model that a rule may ask about."""
    sources: tuple[Place, ...] = ()
    """Where the loaders are made whose batches come here."""
    around: Place | None = None
    """All of the statement, where that is more than the place."""


def seen_in(context: AnalysisContext, path: str) -> list[Seen]:
    """Everything that stands in a file, in the order of places."""
    found = [
        *(_loader(x) for x in _loaders(context) if x.place.path == path),
        *(_sampler(x) for x in context[distributed_samplers] if x.place.path == path),
        *(_loop(x) for x in context[batch_loops] if x.place.path == path),
        *(_copy(x) for x in context[Loaders].transfers if context.place_of(x.call).path == path),
    ]
    return sorted(found, key=lambda seen: (seen.place, seen.kind))


def _loaders(context: AnalysisContext) -> Iterator[Loader]:
    """Each loader, in the contexts in which it is made; not those that share all with another."""
    for group in context[Loaders].by_call().values():
        told = [x for x in group if x.has_context] or group
        yield from told


def _loader(loader: Loader) -> Seen:
    context = loader.context
    gives = amount([loader])
    facts = [f"it gives{gives.replace('(', '').replace(')', '')}"] if gives else []
    if not loader.is_made:
        facts.append("the tests around it cannot come out so that it is made")
    related = [Related(x.place, "it is iterated here") for x in loader.loops]
    related += [
        Related(context.place_of(t.call), "a batch is copied here") for t in loader.transfers
    ]
    if loader.has_context:
        related.insert(0, Related(loader.context_place, "it is made for this call"))
    if not loader.loops:
        facts.append("no loop over its batches is seen")
    return Seen(
        "loader",
        loader.place,
        tuple(told_arguments(context, loader.bound, ARGUMENTS, DEFAULTS)),
        tuple(facts),
        tuple(related[:_MOST_PLACES]),
        (loader, *loader.loops, *loader.transfers),
    )


def _sampler(sampler: Sampler) -> Seen:
    loaders = sampler.loaders
    facts = [] if loaders else ["no loader is seen that takes it"]
    return Seen(
        "sampler",
        sampler.place,
        tuple(
            told_arguments(
                sampler.context, sampler.bound, DISTRIBUTED_ARGUMENTS, DISTRIBUTED_DEFAULTS
            )
        ),
        tuple(facts),
        tuple(Related(x.place, "this loader takes it") for x in loaders[:_MOST_PLACES]),
        (sampler, *loaders),
    )


def _loop(loop: BatchLoop) -> Seen:
    facts = [
        "a gradient step is taken on its batches" if loop.trains else "nothing is learned here"
    ]
    if loop.stops_early:
        facts.append("it may leave batches unread")
    loaders = [loop.context[Loaders].of(made) for made in loop.loaders]
    return Seen(
        "loop" if not loop.is_single else "batch",
        loop.place,
        (),
        tuple(facts),
        tuple(Related(x.place, "this loader gives its batches") for x in loaders[:_MOST_PLACES]),
        (loop, *loaders),
        tuple(x.place for x in loaders),
        Place(loop.scope.module.path, *loop.statement.span),
    )


def _copy(transfer: Transfer) -> Seen:
    context = transfer.context
    names = sorted(str(device.value) for device in transfer.devices)
    facts = [f"to: {', '.join(names)}"] if names else []
    facts.append("it waits" if transfer.is_blocking else "it does not wait, or may not")
    if any(batch.fresh for batch in transfer.batches):
        facts.append("what is copied was made anew on the CPU, so it is not pinned any more")
    loaders = [context[Loaders].of(batch.loader) for batch in transfer.batches]
    return Seen(
        "copy",
        context.place_of(transfer.call),
        (),
        tuple(facts),
        tuple(
            Related(x.place, "this loader gives the batch")
            for x in list(dict.fromkeys(loaders))[:_MOST_PLACES]
        ),
        (transfer, *loaders),
        tuple(x.place for x in loaders),
    )
