"""Random splits of a dataset that come out differently on each rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses import guards
from dlint.analyses.call_graph import callers_of
from dlint.analyses.guards import is_main_guard
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.model import rank_expressions
from dlint.model.distributed import calls_of
from dlint.semantics.values.values import External, FunctionObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

_SPLITS = frozenset({"torch.utils.data.random_split", "torch.utils.data.dataset.random_split"})
_SEEDS = frozenset({"torch.manual_seed", "torch.random.manual_seed"})
_SEEDERS = ("manual_seed", "seed_everything", "set_seed", "seed_all", "setup_seed", "random_seed")
_DEPTH = 2


class UnlikeSplit(NamedTuple):
    """A split, and the call that gives each rank another seed before it."""

    place: Place
    seed_place: Place


def unlike_splits(context: AnalysisContext) -> Iterator[UnlikeSplit]:
    """Calls of `random_split` without a generator, behind a seed that depends on the rank."""
    for call in calls_of(context, "random_split"):
        if _is(context, call, _SPLITS) and len(call.arguments) == 2:
            if any(a.keyword == "generator" or a.star for a in call.arguments):
                continue
            seed = _seed_before(context, call, _DEPTH)
            if seed is not None:
                yield UnlikeSplit(context.place_of(call), context.place_of(seed))


def _is(context: AnalysisContext, call: ex.Call, paths: frozenset[str]) -> bool:
    found = context.solver.names.static(call.function, call.scope)
    return any(isinstance(value, External) and value.path in paths for value in found)


def _seed_before(context: AnalysisContext, call: ex.Call, depth: int) -> ex.Call | None:
    """The last seeding before a call, in its function or its callers', if ranks differ by it."""
    seeds = [c for c in call.scope.calls if c.span < call.span and _seeds_torch(context, c)]
    if seeds:
        last = max(seeds, key=lambda c: c.span)
        return last if _differs(context, last) and _is_plain(last) else None
    callers = callers_of(context, call.scope) if depth and call.scope.kind != "module" else []
    found = [_seed_before(context, caller, depth - 1) for caller in callers]
    return found[0] if found and all(found) else None


def _is_plain(call: ex.Call) -> bool:
    """Whether it runs whenever its function does, or the script does."""
    return all(is_main_guard(test) for test, _ in guards.around(call.scope, call.span))


def _differs(context: AnalysisContext, call: ex.Call) -> bool:
    root = context.solver.root(call.scope)
    return any(rank_expressions.differs_by_rank(context, a.value, root) for a in call.arguments)


def _seeds_torch(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call seeds torch's global generator, also through a function of the project."""
    if call.name not in _SEEDERS:
        return False
    for value in context.solver.names.static(call.function, call.scope):
        if isinstance(value, External):
            return value.path in _SEEDS or value.path.endswith("seed_everything")
        if isinstance(value, FunctionObject):
            return _seeds_by_parameter(context, value.scope)
    return False


def _seeds_by_parameter(context: AnalysisContext, scope: Scope) -> bool:
    return any(_is(context, call, _SEEDS) for call in scope.calls)
