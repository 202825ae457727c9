"""distributed-sampler-rank: numbers that make ranks share samples, or leave some out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.library_facts import samplers as signature
from dlint.library_facts.distributed import Rank
from dlint.library_facts.start_methods import Launch
from dlint.model.data.divided_data import is_divided_again
from dlint.model.loading.written import keyword_place
from dlint.model.ranks import rank_expressions
from dlint.model.ranks.distributed import Distributed
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.model.samplers.sampler_ranks import is_joined, joins_by_local_rank, names_one_rank
from dlint.model.workers import starting as workers

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.samplers.distributed_samplers import Sampler

_POSITIONS = signature.DISTRIBUTED["torch.utils.data.DistributedSampler"]

_ADVICE = {
    True: "leave both out, and the sampler asks the process group",
    False: "leave both out where there is a process group, and the sampler asks that",
}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Arguments of distributed samplers that differ from rank to rank, or do not."""
    reported: set[Place] = set()
    for sampler in context[distributed_samplers]:
        if sampler.place in reported or sampler.has_own_order:
            continue
        finding = _seed(sampler) or _local(sampler) or _fixed(sampler)
        if finding is not None:
            reported.add(sampler.place)
            yield finding


def _seed(sampler: Sampler) -> Finding | None:
    """`seed=args.seed + rank`: every rank draws its part of another order."""
    given = sampler.given("seed")
    if given is None or not sampler.shuffles:
        return None
    if not rank_expressions.differs_by_rank(sampler.context, *given):
        return None
    return Finding(
        Severity.ERROR,
        "`seed` differs from rank to rank, so each rank takes its part of another order: some "
        "samples are seen twice in an epoch and others by no rank; pass the same `seed` everywhere",
        sampler.place,
        argument=keyword_place(sampler.made.call, "seed"),
    )


def _local(sampler: Sampler) -> Finding | None:
    """A rank, or a number of ranks, that is right on one machine only."""
    context = sampler.context
    kinds = {
        name: rank_expressions.kind(context, *given)
        for name in ("rank", "num_replicas")
        if (given := sampler.given(name)) is not None
    }
    local = kinds.get("rank") is Rank.LOCAL
    machine = kinds.get("num_replicas") is Rank.MACHINE
    if not local and not machine:
        return None
    what = [
        *(["`rank` is the rank on its machine"] if local else []),
        *(["`num_replicas` is the number of devices of one machine"] if machine else []),
    ]
    launched = workers.launch(context, [sampler.made.call.scope]) is not Launch.NEVER
    groups = context[Distributed].groups
    is_alone = launched or any(joins_by_local_rank(context, group) for group in groups)
    is_minor = is_alone or is_divided_again(sampler)
    has_group = not machine or not groups or any(is_joined(sampler, group) for group in groups)
    return Finding(
        Severity.INFO if is_minor else Severity.WARNING,
        f"{' and '.join(what)}, so on several machines their processes take the same samples; "
        f"{_ADVICE[has_group]}",
        sampler.place,
        (),
        _fix(sampler) if local and (machine or kinds.get("num_replicas")) else None,
        keyword_place(sampler.made.call, "rank" if local else "num_replicas"),
    )


def _fix(sampler: Sampler) -> Fix | None:
    """Leave the numbers to the process group, where the program makes one."""
    context = sampler.context
    if not any(is_joined(sampler, group) for group in context[Distributed].groups):
        return None
    operations = tuple(
        RemoveArgument(sampler.place, name, _POSITIONS.index(name))
        for name in ("rank", "num_replicas")
        if sampler.given(name) is not None
    )
    return Fix(Applicability.UNSAFE, "Leave the ranks to the process group", operations)


def _fixed(sampler: Sampler) -> Finding | None:
    """`rank=0` in a program of several processes; tests pretend to be one of them."""
    context = sampler.context
    if context.is_of_tests:
        return None
    ranks, replicas = (sampler.argument(name) for name in ("rank", "num_replicas"))
    rank = ranks[0].integer if len(ranks) == 1 and ranks[0].assumed is None else None
    if rank is None or any(a.integer in (0, 1) for a in replicas):
        return None
    groups = [call for call in context[Distributed].groups if not names_one_rank(call)]
    if not groups:
        return None
    return Finding(
        Severity.ERROR,
        f"every process takes the samples of rank {rank}, and those of the other "
        "ranks are never seen; leave `rank` out, and the sampler asks the process group",
        sampler.place,
        (Related(context.place_of(groups[0]), "the processes are joined here"),),
        argument=keyword_place(sampler.made.call, "rank"),
    )
