"""data-sharded-twice: data that are divided among the ranks, and then divided again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.value_parts import certain_parts
from dlint.analyses.written_arguments import positional
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.distributed import Rank
from dlint.library_facts.frameworks import Duty
from dlint.model import rank_expressions
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.rank_expressions import is_rank
from dlint.model.samplers import distributed_samplers
from dlint.semantics.calls import attributes
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loader import Loader
    from dlint.model.samplers import Sampler
    from dlint.semantics.calls.call_contexts import CallContext

_LOSS = (
    "all ranks together see only a part of the dataset, 1/N with N ranks, and the rest is never "
    "trained on"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders over data, or with a sampler, that two parties divide."""
    samplers = {sampler.made: sampler for sampler in context[distributed_samplers]}
    for group in context[Loaders].by_call().values():
        for loader in group:
            values = loader.values("sampler")
            own = [samplers.get(v) if isinstance(v, AllocationSite) else None for v in values]
            certain = [s for s in own if s is not None] if None not in own else []
            finding = _finding(loader, certain)
            if finding is not None:
                yield finding
                break


def _finding(loader: Loader, samplers: list[Sampler]) -> Finding | None:
    """What divides the data twice: two of the data, the sampler and a framework."""
    splitting = _splitting(loader)
    if samplers and splitting is not None:
        return _twice(loader, splitting, samplers[0])
    if not samplers and splitting is None:
        return None
    if samplers and not all(map(_is_over_all_ranks, samplers)):
        return None
    if not samplers and not _is_without_sampler(loader):
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


def _splitting(loader: Loader) -> str | None:
    """The framework that divides whatever the loader's sampler draws."""
    found = loader.context[Consumption].takes_over(loader.made, Duty.SPLITS_ANY)
    return None if found is None else found.name


def _is_without_sampler(loader: Loader) -> bool:
    given = (a for name in ("sampler", "batch_sampler") for a in loader.argument(name))
    return all(a.value in (ABSENT, NONE) for a in given)


def _is_over_all_ranks(sampler: Sampler) -> bool:
    """Whether a sampler divides by the same ranks: all of them, not those of one machine."""
    rank, replicas = sampler.given("rank"), sampler.given("num_replicas")
    if rank is not None and not rank_expressions.is_rank(sampler.context, *rank):
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


_SPLITTING = frozenset({"split_dataset_by_node"})


def division(loader: Loader) -> Place | None:
    """Where the loader's data become one rank's part, if they do so on every path."""
    context = loader.context
    dataset = loader.given("dataset")
    if dataset is not None:
        for part, frame in certain_parts(context, *dataset):
            if _divides(context, part, frame):
                return Place(frame.scope.module.path, *part.span)
    values = loader.values("dataset")
    classes = {attributes.project_class(value) for value in values}
    cls = classes.pop() if len(classes) == 1 else None
    return None if cls is None else _in_constructor(context, cls)


def _in_constructor(context: AnalysisContext, cls: Class) -> Place | None:
    """`self.paths = paths[rank::world_size]`, under no test."""
    init = context.solver.classes.method(cls, "__init__")
    for store in init.stores if init is not None else ():
        root = context.solver.root(store.scope)
        if store.statement.block.owner is None:
            for part, frame in certain_parts(context, store.value, root):
                if isinstance(part, ex.Subscript) and _divides(context, part, frame):
                    return Place(frame.scope.module.path, *part.span)
    return None


def _divides(context: AnalysisContext, part: ex.Expression, frame: CallContext) -> bool:
    """Whether an expression takes every n-th element, or one shard, by the rank."""
    match part:
        case ex.Subscript(index=ex.Slice(bounds=(start, _, step))):
            return step is not None and start is not None and is_rank(context, start, frame)
        case ex.Call(name="range") if len(bounds := positional(part)) == 3:
            return is_rank(context, bounds[0], frame)
        case ex.Call(name="shard"):
            return any(is_rank(context, a.value, frame) for a in part.arguments)
        case ex.Call():
            return part.name in _SPLITTING
    return False
