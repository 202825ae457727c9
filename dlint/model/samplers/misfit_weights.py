"""Weights of `WeightedRandomSampler` that are not one for each sample of the loader's data.

Question: have the weights of a sampler certainly an entry for each class, for each sample of a
whole of which its loader reads a part, or another number of entries than there are samples?
Followed: what `sample_weights` follows, splits and subsets, lengths that are known. Given up on:
parts whose indices may go over all of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import Located
from dlint.analyses.calls import calls_to
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts import samplers as knowledge
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.weights import CONVERTING
from dlint.model.data.twin_sets import are_twins
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.sample_weights import (
    CLASSES,
    LISTED,
    Sources,
    entries,
    kept_once,
    maker_of,
    sources,
)
from dlint.model.samplers.sampler_classes import given_to_sampler
from dlint.model.worth.volume import volume_of
from dlint.semantics.values.values import AllocationSite, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Store
    from dlint.model.loading.loader import Loader

_PARTS = SPLITS | {"torch.utils.data.Subset", "torch.utils.data.dataset.Subset"}
_LENGTHS = frozenset({"len", "sum", "__len__"})
_NUMBERING = frozenset({"range", "arange", "randperm", "permutation"})
_SHAPES = frozenset({"shape", "size"})


class Misfit(NamedTuple):
    """Weights that do not fit; the numbers are known where their lengths are what shows it."""

    place: Place
    """Where the sampler is made."""
    by_class: bool
    loader: Loader | None = None
    weights: int = 0
    samples: int = 0


def misfits(context: AnalysisContext) -> Iterator[Misfit]:
    """Weighted samplers whose weights have an entry for each class, or for other data."""
    for call in calls_to(context, *knowledge.WEIGHTED):
        for value in context.values(call, call.scope):
            if isinstance(value, AllocationSite) and library_path(value) in knowledge.WEIGHTED:
                found = _misfit(context, call, value)
                if found is not None:
                    yield found
                    break


def _misfit(context: AnalysisContext, call: ex.Call, made: AllocationSite) -> Misfit | None:
    weights = given_to_sampler(context, made, knowledge.WEIGHTED, "weights")
    if weights is None:
        return None
    count = given_to_sampler(context, made, knowledge.WEIGHTED, "num_samples")
    kind = entries(context, *weights)
    if kind == CLASSES or (kind == LISTED and count is not None and _is_length(context, count)):
        return Misfit(context.place_of(call), by_class=True)
    loaders = [x for x in _loaders(context) if x.is_made and x.values("sampler") == {made}]
    return _of_whole(context, call, weights, loaders) or _counted(context, call, weights, loaders)


def _loaders(context: AnalysisContext) -> Iterator[Loader]:
    return (loader for group in context[Loaders].by_call().values() for loader in group)


def _is_length(context: AnalysisContext, count: Located) -> bool:
    """Whether a number of samples is the length of something else than a written list."""
    expression, frame = count
    for part in parts_in_function(expression):
        if isinstance(part, ex.Call) and part.name in _LENGTHS:
            measured = positional(part)
        elif isinstance(part, ex.Attribute) and part.name in _SHAPES:
            measured = [part.value]
        else:
            continue
        sums = isinstance(part, ex.Call) and part.name == "sum"
        if any((entries(context, m, frame) != LISTED) is not sums for m in measured):
            return True
    return False


def _of_whole(
    context: AnalysisContext, call: ex.Call, weights: Located, loaders: list[Loader]
) -> Misfit | None:
    """Weights for each sample of a data set, of which the loader reads a part."""
    found: Sources = sources(context, *weights) if loaders else frozenset()
    for loader in loaders if found else ():
        parts = loader.values("dataset")
        if parts and all(_is_part(context, part, found) for part in parts):
            return Misfit(context.place_of(call), by_class=False, loader=loader)
    return None


def _is_part(context: AnalysisContext, part: Value, found: Sources) -> bool:
    """Whether a value is a part of the data that the weights are made for, and not that itself."""
    if not isinstance(part, AllocationSite) or library_path(part) not in _PARTS or part in found:
        return False
    passed = context.solver.passed.get(part)
    taking = "lengths" if library_path(part) in SPLITS else "indices"
    whole = None if passed is None else passed.written(("dataset", taking), "dataset")
    chosen = None if passed is None else passed.written(("dataset", taking), taking)
    if whole is None or chosen is None or _may_be_all(context, chosen, whole):
        return False
    names = {whole[0].definition} if isinstance(whole[0], ex.Reference) else set()
    values = context.solver.values(*whole)
    labels = {n for value in values for n in _given(context, value)} if len(values) == 1 else set()
    made = maker_of(context, *whole)
    if any(isinstance(one, ex.Call) and are_twins(context, made, one) for one in found):
        return True
    return bool(found & (set(values) | names | labels | {made}))


def _may_be_all(context: AnalysisContext, indices: Located, whole: Located) -> bool:
    """Whether indices may go over a whole data set: `list(range(len(data)))`."""
    made = origin_of(indices[0])
    sizes = context[DatasetSizes]
    chosen, length = sizes.sizes.length(*indices), sizes.of(*whole).length
    if chosen is not None and length is not None and chosen.high < length.low:
        return False
    while isinstance(made, ex.Call) and made.name in CONVERTING and positional(made):
        made = origin_of(next(iter(positional(made))))
    return isinstance(made, ex.Call) and made.name in _NUMBERING


def _given(context: AnalysisContext, made: Value) -> Iterator[ex.Definition | Store]:
    """The names of what a data set is made of, and attributes that are written once."""
    passed = context.solver.passed.get(made) if isinstance(made, AllocationSite) else None
    for argument, frame in () if passed is None else passed.arguments:
        value = argument.value
        kept = kept_once(context, origin_of(value), frame)
        if kept is not None:
            yield kept
        if isinstance(value, ex.Reference) and value.definition is not None:
            yield value.definition


def _counted(
    context: AnalysisContext, call: ex.Call, weights: Located, loaders: list[Loader]
) -> Misfit | None:
    """Weights of a known number, for a data set of another known length."""
    number = context[DatasetSizes].sizes.length(*weights) if loaders else None
    for loader in loaders:
        length = volume_of(loader).data.length
        if number is None or length is None or not (number.is_exact and length.is_exact):
            continue
        if number.low != length.low and not (number.assumed or length.assumed):
            return Misfit(context.place_of(call), False, loader, int(number.low), int(length.low))
    return None
