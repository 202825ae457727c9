"""Loaders whose data every rank goes through, with a model of several ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import on_every_path
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import SHARDED, SHARING_BATCHES
from dlint.library_facts.frameworks import Duty
from dlint.model.data import sharding
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.modes import only_attacks
from dlint.model.ranks.distributed import Distributed, Replica, asks_for_ranks, tests_of
from dlint.model.ranks.launchers import Launchers
from dlint.model.samplers.index_order import draws, draws_from_all
from dlint.model.samplers.optional_samplers import samplers_by_option
from dlint.model.samples.sample_order import ignores_indices
from dlint.model.workers.starting import callers_in_process
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.ir.module import Block
    from dlint.model.loading.loader import Loader


def takes_everything(loader: Loader) -> bool:
    """Whether a loader certainly draws from all of its dataset, and by the indices it draws.

    At least where options have their defaults: others may give it a sampler of the project.
    """
    if not loader.is_made or loader.is_for_debugging or ignores_indices(loader):
        return False
    return draws_from_all(loader) or bool(samplers_by_option(loader))


def replica_of(loader: Loader) -> Replica | None:
    """A model that several ranks train on all that the loader yields."""
    if loader.context[Consumption].takes_over(loader.made, Duty.ADDS_SAMPLER) is not None:
        return _left_alone(loader) if draws_from_all(loader) else None
    for replica in loader.context[Distributed].replicas(loader):
        if not _is_whole(loader):
            return None
        if not _is_chosen_apart(loader, replica):
            continue
        if replica.loop is None:
            return replica if sharding.shuffles(loader) else None
        body = replica.loop.body
        if body is None or _splits(body) or only_attacks(replica.loop):
            continue
        if all(takes_everything(_other(loader, made)) for made in replica.loop.loaders):
            return replica
    return None


def _is_chosen_apart(loader: Loader, replica: Replica) -> bool:
    """Whether what options choose as a sampler has nothing to do with what makes the ranks: there
    are ranks whatever is asked for."""
    calls = samplers_by_option(loader)
    if calls and replica.path_condition:
        return False
    asked = {one.test for call in calls for one in tests_of(loader.context, call)}
    return not any(map(asks_for_ranks, asked))


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


def is_joined_before(loader: Loader, replica: Replica) -> bool:
    """Whether the ranks are joined, or the model wrapped, before a loader is made.

    In the function that makes it, or on every path of calls to that.
    """
    joining = {replica.wrap, *loader.context[Distributed].groups}

    def joined_before(call: ex.Call) -> tuple[ex.Call, ...]:
        return tuple(c for c in call.scope.calls if c in joining and c.span < call.span)

    context, made = loader.context, loader.call
    found = joined_before(made)
    return bool(found or on_every_path(context, made.scope, joined_before, callers_in_process))


def shuffles_by_rank(loader: Loader, replica: Replica) -> bool:
    """Whether the ranks that train on a loader are seeded by their number, each on its own."""
    modules = {loader.call.scope.module, replica.wrap.scope.module}
    modules |= set() if replica.loop is None else {replica.loop.scope.module}
    return loader.context[Distributed].seeds_by_rank(modules)
