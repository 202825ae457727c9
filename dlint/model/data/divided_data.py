"""Data that become one rank's part before a loader reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.attribute_values import is_set_by_methods
from dlint.analyses.backward import Located, steps
from dlint.analyses.value_parts import certain_parts, origin_of
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks.rank_expressions import is_rank
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.distributed_samplers import Sampler
    from dlint.semantics.calls.call_contexts import CallContext


_SPLITTING = frozenset({"split_dataset_by_node"})


def certain_samplers(loader: Loader) -> list[Sampler]:
    """The distributed samplers that a loader draws by, if it certainly draws by such ones."""
    samplers = {sampler.made: sampler for sampler in loader.context[distributed_samplers]}
    values = loader.values("sampler")
    own = [samplers.get(v) if isinstance(v, AllocationSite) else None for v in values]
    return [s for s in own if s is not None] if None not in own else []


def dividing_framework(loader: Loader) -> str | None:
    """The framework that divides whatever the loader's sampler draws."""
    found = loader.context[Consumption].takes_over(loader.made, Duty.SPLITS_ANY)
    return None if found is None else found.name


def is_divided_again(sampler: Sampler) -> bool:
    """Whether a framework divides what a loader draws by this sampler, and its part is lost."""
    groups = sampler.context[Loaders].by_call().values()
    return any(
        sampler.made in loader.values("sampler") and dividing_framework(loader) is not None
        for group in groups
        for loader in group
    )


def is_handed_rank(sampler: Sampler) -> bool:
    """Whether a sampler's `rank` is a parameter of the function around: what a caller hands in."""
    given = sampler.given("rank")
    return given is not None and isinstance(origin_of(given[0]), ex.Parameter)


def division(loader: Loader) -> Place | None:
    """Where the loader's data become one rank's part, if they do so on every path.

    What a sampler of the loader is given as `rank` is one, by whatever name.
    """
    context = loader.context
    dataset = loader.given("dataset")
    if dataset is not None:
        given = (sampler.given("rank") for sampler in certain_samplers(loader))
        ranks = frozenset(origin_of(rank[0]) for rank in given if rank is not None)
        for part, frame in certain_parts(context, *_behind_attribute(context, dataset)):
            if _divides(context, part, frame, ranks):
                return Place(frame.scope.module.path, *part.span)
    values = loader.values("dataset")
    classes = {attributes.project_class(value) for value in values}
    cls = classes.pop() if len(classes) == 1 else None
    return None if cls is None else _in_constructor(context, cls)


def _behind_attribute(context: AnalysisContext, dataset: Located) -> Located:
    """What the attribute holds that a loader is given, if its object writes it once, and no other.

    `self.data = data.shard(…)`, and `DataLoader(self.data)` in another method.
    """
    made, frame = ex.unnamed(dataset[0]), dataset[1]
    if not isinstance(made, ex.Attribute) or not is_set_by_methods(context, made, frame):
        return dataset
    held = list(steps(context, made, frame))
    return held[0] if len(held) == 1 else dataset


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


def draws_part(context: AnalysisContext, sampler: Value) -> bool:
    """Whether all that a sampler of the project gives is one rank's part of its indices."""
    cls = attributes.project_class(sampler)
    method = None if cls is None else context.solver.classes.method(cls, "__iter__")
    if method is None:
        return False
    root = context.solver.root(method)
    delegated = [made.value for made in method.yields if made.delegates and made.value is not None]
    given = [*method.returns, *delegated]
    return (
        len(delegated) == len(method.yields)
        and len(given) == 1
        and any(
            _divides(context, part, frame) for part, frame in _kept_parts(context, given[0], root)
        )
    )


def _kept_parts(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """What an expression is certainly made of, also behind attributes that are written once."""
    for part, where in certain_parts(context, expression, frame):
        yield part, where
        held = list(steps(context, part, where)) if isinstance(part, ex.Attribute) else []
        if len(held) == 1:
            yield from certain_parts(context, *held[0])


def _divides(
    context: AnalysisContext,
    part: ex.Expression,
    frame: CallContext,
    ranks: frozenset[ex.Expression] = frozenset(),
) -> bool:
    """Whether an expression takes every n-th element, or one shard, by the rank."""

    def counts(number: ex.Expression) -> bool:
        return origin_of(number) in ranks or is_rank(context, number, frame)

    match part:
        case ex.Subscript(index=ex.Slice(bounds=(start, _, step))):
            return step is not None and start is not None and counts(start)
        case ex.Call(name="range") if len(bounds := positional(part)) == 3:
            return counts(bounds[0])
        case ex.Call(name="shard"):
            return any(counts(a.value) for a in part.arguments)
        case ex.Call():
            return part.name in _SPLITTING
    return False
