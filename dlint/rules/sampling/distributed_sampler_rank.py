"""distributed-sampler-rank: numbers that make ranks share samples, or leave some out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.ir import expressions as ex
from dlint.library_facts import samplers as signature
from dlint.library_facts.distributed import Rank
from dlint.library_facts.start_methods import Launch
from dlint.model import rank_expressions, workers
from dlint.model.distributed import Distributed, tests_of
from dlint.model.samplers import distributed_samplers
from dlint.model.written import keyword_place
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.samplers import Sampler

_POSITIONS = signature.DISTRIBUTED["torch.utils.data.DistributedSampler"]


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Arguments of distributed samplers that differ from rank to rank, or do not."""
    reported: set[ex.Call] = set()
    for sampler in context[distributed_samplers]:
        if sampler.made.call in reported or sampler.has_own_order:
            continue
        finding = _seed(sampler) or _local(sampler) or _fixed(sampler)
        if finding is not None:
            reported.add(sampler.made.call)
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
    return Finding(
        Severity.INFO if launched else Severity.WARNING,
        f"{' and '.join(what)}, so on several machines their processes take the same samples; "
        "leave both out, and the sampler asks the process group",
        sampler.place,
        (),
        _fix(sampler) if local and (machine or kinds.get("num_replicas")) else None,
        keyword_place(sampler.made.call, "rank" if local else "num_replicas"),
    )


def _fix(sampler: Sampler) -> Fix | None:
    """Leave the numbers to the process group, where the program makes one."""
    context = sampler.context
    if not any(_is_joined(sampler, group) for group in context[Distributed].groups):
        return None
    operations = tuple(
        RemoveArgument(sampler.place, name, _POSITIONS.index(name))
        for name in ("rank", "num_replicas")
        if sampler.given(name) is not None
    )
    return Fix(Applicability.UNSAFE, "Leave the ranks to the process group", operations)


def _is_joined(sampler: Sampler, group: ex.Call) -> bool:
    """Whether a process group is made wherever the sampler is, as far as one function shows."""
    call = sampler.made.call
    if group.scope is not call.scope:
        return True
    return tests_of(sampler.context, group) <= tests_of(sampler.context, call)


def _fixed(sampler: Sampler) -> Finding | None:
    """`rank=0` in a program of several processes; tests pretend to be one of them."""
    context = sampler.context
    if context.is_of_tests:
        return None
    ranks, replicas = (sampler.argument(name) for name in ("rank", "num_replicas"))
    written = {a.value for a in ranks if a.assumed is None and isinstance(a.value, Literal)}
    if len(written) != 1 or len(ranks) != 1 or not isinstance(_number(written), int):
        return None
    if any(a.value in (Literal.of(1), Literal.of(0)) for a in replicas):
        return None
    groups = [call for call in context[Distributed].groups if not _names_one(call)]
    if not groups:
        return None
    return Finding(
        Severity.ERROR,
        f"every process takes the samples of rank {_number(written)}, and those of the other "
        "ranks are never seen; leave `rank` out, and the sampler asks the process group",
        sampler.place,
        (Related(context.place_of(groups[0]), "the processes are joined here"),),
        argument=keyword_place(sampler.made.call, "rank"),
    )


def _number(values: set[Literal]) -> object:
    value = next(iter(values)).value
    return None if isinstance(value, bool) else value


def _names_one(call: ex.Call) -> bool:
    """Whether a process group is made with a rank written in the call, as tests do."""
    given = (written(call, position, name) for name, position in _RANKS.items())
    return any(isinstance(value, ex.Constant) for value in given)


_RANKS = {"world_size": 3, "rank": 4}
"""Parameters of `init_process_group`, and how many stand before them."""
