"""missing-distributed-sampler: ranks that all train on the whole dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import SHARDED, SHARING_BATCHES
from dlint.library_facts.frameworks import Duty
from dlint.model import sharding
from dlint.model.distributed import Distributed, Replica
from dlint.model.frameworks import Consumption
from dlint.model.index_order import draws, draws_from_all
from dlint.model.launchers import Launchers
from dlint.model.loaders import Loaders
from dlint.model.loops import calls_in
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block
    from dlint.model.loader import Loader


class _Wanting(NamedTuple):
    loader: Loader
    replica: Replica


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Training loaders of several ranks that have nothing to split the data."""
    if not context[Distributed].is_possible:
        return
    for group in context[Loaders].by_call().values():
        plain = [loader for loader in group if _takes_everything(loader)]
        found = [_Wanting(x, r) for x in plain if (r := _replica(x)) is not None]
        if found and len(plain) == len(group):
            yield _finding(found[0])
        else:
            calling = {w.loader.context_place: w for w in found if w.loader.has_context}
            yield from (_finding(wanting, at_caller=True) for wanting in calling.values())


def _takes_everything(loader: Loader) -> bool:
    """Whether a loader certainly draws from all of its dataset."""
    return loader.is_made and not loader.is_for_debugging and draws_from_all(loader)


def _replica(loader: Loader) -> Replica | None:
    """A model that several ranks train on all that the loader yields."""
    if loader.context[Consumption].takes_over(loader.made, Duty.ADDS_SAMPLER) is not None:
        return _left_alone(loader)
    for replica in loader.context[Distributed].replicas(loader):
        if not _is_whole(loader):
            return None
        if replica.loop is None:
            return replica if sharding.shuffles(loader) else None
        body = replica.loop.body
        if body is None or _splits(body):
            continue
        if all(_takes_everything(_other(loader, made)) for made in replica.loop.loaders):
            return replica
    return None


def _left_alone(loader: Loader) -> Replica | None:
    """The ranks of a launcher that is told to add no sampler."""
    for launcher in loader.context[Launchers].of(loader):
        switch = launcher.switch
        if switch is not None and launcher.is_distributed and _is_whole(loader):
            return Replica(launcher.name, launcher.call, frozenset(), None, switch=switch)
    return None


def _is_whole(loader: Loader) -> bool:
    """Whether it certainly yields a dataset that is indexed, and that nothing has divided."""
    if not (sharding.is_map_style(loader) or draws(loader)) or _has_own_iteration(loader):
        return False
    divided = sharding.is_sharded(loader) or sharding.is_made_up(loader)
    return not divided and not loader.may_be_replaced


def _other(loader: Loader, made: AllocationSite) -> Loader:
    return loader.context[Loaders].of(made)


def _has_own_iteration(loader: Loader) -> bool:
    """Whether a class of the project decides what the loader yields."""
    cls = attributes.project_class(loader.made)
    return cls is not None and loader.context.solver.classes.method(cls, "__iter__") is not None


def _splits(body: Block) -> bool:
    """Whether the loop deals its batches out to the ranks."""
    for statement in walk.statements(body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Subscript) and _names_ranks(part.index):
                    return True
    return any(call.name in SHARING_BATCHES for call in calls_in(body))


def _names_ranks(index: ex.Expression) -> bool:
    names = (p.own_name for p in walk.walk(index) if isinstance(p, ex.Reference | ex.Attribute))
    return any(map(SHARDED.search, names))


def _finding(wanting: _Wanting, *, at_caller: bool = False) -> Finding:
    loader, replica = wanting
    context = loader.context
    started = replica.options or replica.switch
    role = "the ranks are started here" if started else "every rank gets a copy of the model here"
    related = [Related(context.place_of(replica.wrap), role)]
    if replica.loop is not None:
        loop = replica.loop.place
        related.append(Related(loop, "every rank runs this loop over all batches"))
    if at_caller:
        related.insert(0, Related(loader.place, "the loader is made here"))
    return Finding(
        Severity.WARNING if _draws_alone(wanting) else Severity.ERROR,
        _message(wanting),
        loader.context_place if at_caller else loader.place,
        tuple(related),
        None if at_caller else _fix(wanting),
    )


def _fix(wanting: _Wanting) -> Fix | None:
    """Draw by a distributed sampler, where the process group is made before in the function."""
    loader, replica = wanting
    given = loader.given("dataset")
    if draws(loader) or replica.options or replica.switch:
        return None
    name = None if given is None else ex.dotted(given[0])
    joining = {replica.wrap, *loader.context[Distributed].groups}
    earlier = (c for c in loader.call.scope.calls if c.span < loader.call.span)
    if name is None or replica.path_condition or joining.isdisjoint(earlier):
        return None
    if given is None or given[1].scope is not loader.call.scope:
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
    return (
        f"the model is trained by several ranks ({wanting.replica.name}), and without a "
        f"`DistributedSampler` each of them goes through the whole dataset{own}; {_advice(wanting)}"
    )


def _advice(wanting: _Wanting) -> str:
    loader, replica = wanting
    given, sampler = draws(loader), f"DistributedSampler(dataset{replica.options})"
    if replica.switch:
        return f"leave `{replica.switch}` out, or draw from a `DistributedSampler`"
    if given == "batch_sampler":
        return f"let `batch_sampler` draw from `{sampler}`, and call `set_epoch` in each epoch"
    place = "the sampler" if given else "`shuffle`"
    return f"pass `sampler={sampler}` in place of {place}, and call `set_epoch` in each epoch"


def _draws_alone(wanting: _Wanting) -> bool:
    """Whether every rank shuffles with a seed of its own: then only the epochs are too long."""
    loader, replica = wanting
    modules = {loader.call.scope.module, replica.wrap.scope.module}
    modules |= set() if replica.loop is None else {replica.loop.scope.module}
    return loader.context[Distributed].seeds_by_rank(modules)
