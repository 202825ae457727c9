"""missing-distributed-sampler: ranks that all train on the whole dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.model.data import sharding
from dlint.model.data.undivided_data import (
    is_joined_before,
    replica_of,
    shuffles_by_rank,
    takes_everything,
)
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks.distributed import Distributed, Replica
from dlint.model.samplers.index_order import draws
from dlint.model.samplers.optional_samplers import samplers_by_option

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class _Wanting(NamedTuple):
    loader: Loader
    replica: Replica


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Training loaders of several ranks that have nothing to split the data."""
    if not context[Distributed].is_possible:
        return
    for group in context[Loaders].told():
        plain = [loader for loader in group if takes_everything(loader)]
        found = [_Wanting(x, r) for x in plain if (r := replica_of(x)) is not None]
        if found and len(plain) == len(group):
            yield _finding(found[0])
        else:
            calling = {w.loader.context_place: w for w in found if w.loader.has_context}
            yield from (_finding(wanting, at_caller=True) for wanting in calling.values())


def _finding(wanting: _Wanting, *, at_caller: bool = False) -> Finding:
    loader, replica = wanting
    context = loader.context
    started = replica.options or replica.switch
    role = "the ranks are started here" if started else "every rank gets a copy of the model here"
    related = [Related(context.place_of(replica.wrap), role)]
    if replica.loop is not None:
        loop = replica.loop.place
        related.append(Related(loop, "every rank runs this loop over all batches"))
    chosen = samplers_by_option(loader)
    related += [Related(context.place_of(c), "an option asks for this sampler") for c in chosen]
    if at_caller:
        related.insert(0, Related(loader.place, "the loader is made here"))
    return Finding(
        Severity.WARNING if chosen or _draws_alone(wanting) else Severity.ERROR,
        _message(wanting),
        loader.context_place if at_caller else loader.place,
        tuple(related),
        None if at_caller or chosen else _fix(wanting),
    )


def _fix(wanting: _Wanting) -> Fix | None:
    """Draw by a distributed sampler, where the process group is made before in the function."""
    loader, replica = wanting
    if draws(loader) or replica.options or replica.switch:
        return None
    name = loader.dataset_name
    if name is None or replica.path_condition or not is_joined_before(loader, replica):
        return None
    option = "" if sharding.shuffles(loader) else ", shuffle=False"
    sampler = f"torch.utils.data.DistributedSampler({name}{option})"
    operations = (
        RemoveArgument(loader.place, "shuffle", loader.position("shuffle"), "False"),
        SetArgument(loader.place, "sampler", sampler, loader.position("sampler")),
    )
    return Fix(Applicability.UNSAFE, "Split the dataset among the ranks", operations)


def _message(wanting: _Wanting) -> str:
    own = ", in an order of its own" if _draws_alone(wanting) else ""
    if samplers_by_option(wanting.loader):
        own += ", where no option gives it another sampler"
    return (
        f"the model is trained by several ranks ({wanting.replica.name}), and without a "
        f"`DistributedSampler` each of them goes through the whole dataset{own}; {_advice(wanting)}"
    )


def _advice(wanting: _Wanting) -> str:
    loader, replica = wanting
    given, sampler = draws(loader), f"DistributedSampler(dataset{replica.options})"
    if samplers_by_option(loader):
        return f"draw from `{sampler}` there, and let the other samplers draw a rank's part too"
    if replica.switch:
        return f"leave `{replica.switch}` out, or draw from a `DistributedSampler`"
    if given == "batch_sampler":
        return f"let `batch_sampler` draw from `{sampler}`, and call `set_epoch` in each epoch"
    place = "the sampler" if given else "`shuffle`"
    return f"pass `sampler={sampler}` in place of {place}, and call `set_epoch` in each epoch"


def _draws_alone(wanting: _Wanting) -> bool:
    """Whether every rank shuffles with a seed of its own: then only the epochs are too long."""
    return shuffles_by_rank(*wanting)
