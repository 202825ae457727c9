"""data-sharded-twice: data that are divided among the ranks, and then divided again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.library_facts.distributed import Rank
from dlint.model.data.divided_data import (
    certain_samplers,
    dividing_framework,
    division,
    is_handed_rank,
)
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks import rank_expressions
from dlint.model.samplers.index_order import makes_sampler

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.distributed_samplers import Sampler

_LOSS = (
    "all ranks together see only a part of the dataset, 1/N with N ranks, and the rest is never "
    "trained on"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders over data, or with a sampler, that two parties divide."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            finding = _finding(loader, certain_samplers(loader))
            if finding is not None:
                yield finding
                break


def _finding(loader: Loader, samplers: list[Sampler]) -> Finding | None:
    """What divides the data twice: two of the data, the sampler and a framework."""
    splitting = dividing_framework(loader)
    if samplers and splitting is not None:
        return _twice(loader, splitting, samplers[0])
    if not samplers and splitting is None:
        return None
    if samplers and not all(map(_is_over_all_ranks, samplers)):
        return None
    if not samplers and not makes_sampler(loader):
        return None
    place = division(loader)
    if place is None:
        return None
    by = "the `DistributedSampler`" if samplers else str(splitting)
    return Finding(
        Severity.ERROR,
        f"the data are one rank's part already, and {by} divides them again: {_LOSS}; "
        "divide them once",
        loader.place,
        (Related(place, "the data are divided by rank here"),),
    )


def _is_over_all_ranks(sampler: Sampler) -> bool:
    """Whether a sampler divides by the same ranks: all of them, not those of one machine."""
    rank, replicas = sampler.given("rank"), sampler.given("num_replicas")
    known = rank is None or rank_expressions.is_rank(sampler.context, *rank)
    if not known and not is_handed_rank(sampler):
        return False
    return replicas is None or rank_expressions.kind(sampler.context, *replicas) is Rank.WORLD


def _twice(loader: Loader, framework: str, sampler: Sampler) -> Finding:
    context = loader.context
    calls = [c for f, c in context[Consumption].of(loader.made) if f.name == framework]
    related = [Related(sampler.place, "the sampler takes one rank's part")]
    again = [context.place_of(call) for call in calls if call is not None]
    related += [Related(place, "this divides it again") for place in again[:1]]
    return Finding(
        Severity.ERROR,
        f"{framework} divides what a loader's sampler draws among the ranks, and this sampler is "
        f"one rank's part already: {_LOSS}; leave the sampler out and pass `shuffle=True`",
        loader.place,
        tuple(related),
        _fix(loader, sampler),
        loader.argument_place("sampler"),
    )


def _fix(loader: Loader, sampler: Sampler) -> Fix | None:
    """Leave the sampler out; the loader shuffles itself, and the framework divides."""
    if loader.written("sampler") is None or any(a.star for a in loader.call.arguments):
        return None
    sampling = RemoveArgument(loader.place, "sampler", loader.position("sampler"))
    operations: tuple[Operation, ...] = (sampling,)
    if sampler.shuffles:
        operations += (SetArgument(loader.place, "shuffle", "True", loader.position("shuffle")),)
    return Fix(Applicability.UNSAFE, "Leave the division to the framework", operations)
