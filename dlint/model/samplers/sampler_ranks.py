"""Ranks and seeds that distributed samplers are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.distributed import Rank
from dlint.model.ranks import rank_expressions
from dlint.model.ranks.distributed import tests_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.samplers.distributed_samplers import Sampler


def is_joined(sampler: Sampler, group: ex.Call) -> bool:
    """Whether a process group is made wherever the sampler is, as far as one function shows."""
    call = sampler.made.call
    if group.scope is not call.scope:
        return True
    return tests_of(sampler.context, group) <= tests_of(sampler.context, call)


def names_one_rank(call: ex.Call) -> bool:
    """Whether a process group is made with a rank written in the call, as tests do."""
    given = (written(call, position, name) for name, position in _RANKS.items())
    return any(isinstance(value, ex.Constant) for value in given)


def joins_by_local_rank(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a process group itself is told the rank on one machine: there is one machine."""
    given = written(call, _RANKS["rank"], "rank")
    frame = context.solver.root(call.scope)
    return given is not None and rank_expressions.kind(context, given, frame) is Rank.LOCAL


_RANKS = {"world_size": 3, "rank": 4}
"""Parameters of `init_process_group`, and how many stand before them."""
