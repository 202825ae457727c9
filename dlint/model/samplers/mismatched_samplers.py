"""Samplers that do not fit their loader: another dataset's, batches for indices.

Question: does a sampler certainly draw indices of other data than its loader reads, or give another
kind of index than is asked for? Followed: constructors of torch's samplers and subsets, names that
say what data are for. Given up on: data that are made of one another, or alike as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.value_parts import names_of, origin_of
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import samplers as knowledge
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.phase_loaders import serves_apart
from dlint.model.loading.roles import is_named_for_evaluation, only_evaluates
from dlint.model.loops.unread_names import Mentions
from dlint.model.samplers.list_samplers import yields_lists
from dlint.model.samplers.sampler_classes import given_to_sampler, index_giver
from dlint.model.samples.random_transforms import is_in_rounds
from dlint.model.samples.sample_order import takes_index_apart
from dlint.semantics.calls import arguments, attributes
from dlint.semantics.values.conditional_value import ABSENT, Absent
from dlint.semantics.values.values import NONE, UNKNOWN, AllocationSite, library_path

if TYPE_CHECKING:
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader

_TRAIN = lazily(r"(^|_)(train|training|trn)($|_)|^train", re.I)
_HELD_OUT = lazily(r"(^|_)(val|valid|validation|test|eval|dev)($|_)|^(val|test|eval)", re.I)


class Foreign(NamedTuple):
    """A sampler over one dataset in the loader of another, by the names they go by."""

    place: Place
    """Where the sampler is made."""
    own: str
    other: str


class Borrowed(NamedTuple):
    """The loader whose sampler another one has too, and where one is made that is left over.

    No other one where a call makes loaders that train and loaders that evaluate, round by round.
    """

    other: Loader | None
    unread: Place
    by_maker: tuple[Place, Place] | None = None
    """Where a function is asked for each of the two, if that makes both by one call."""


def foreign(loader: Loader) -> Foreign | None:
    """A training set's sampler for held-out data, or the other way round."""
    dataset = loader.given("dataset")
    for value in loader.values("sampler"):
        names = knowledge.OVER_DATASET.get(library_path(value))
        if dataset is None or names is None or not isinstance(value, AllocationSite):
            continue
        source = given_to_sampler(loader.context, value, knowledge.OVER_DATASET, names[0])
        for own, other in () if source is None else _names_apart(dataset[0], source[0]):
            return Foreign(loader.context.place_of(value.call), own, other)
    return None


def _names_apart(one: ex.Expression, other: ex.Expression) -> Iterator[tuple[str, str]]:
    """The names by which two datasets are apart, those they go by first."""
    for own, foreign in product(names_of(one), names_of(other)):
        texts = ex.dotted(own), ex.dotted(foreign)
        if _are_apart(own, foreign) and texts[0] is not None and texts[1] is not None:
            yield texts[0], texts[1]


def _are_apart(one: ex.Expression, other: ex.Expression) -> bool:
    """Whether one name speaks of training data and the other of held-out data, and means it."""
    if not isinstance(one, ex.Reference | ex.Attribute) or type(one) is not type(other):
        return False
    assert isinstance(other, ex.Reference | ex.Attribute)
    roles = {_role(one.name), _role(other.name)}
    if roles != {"train", "held out"}:
        return False
    first, second = origin_of(one), origin_of(other)
    return (
        first is not second
        and not _mentions(first, other)
        and not _mentions(second, one)
        and (not _are_alike(first, second))
    )


def _role(name: str) -> str:
    train, held_out = _TRAIN.search(name), _HELD_OUT.search(name)
    return "" if bool(train) is bool(held_out) else "train" if train else "held out"


def _mentions(expression: ex.Expression, name: ex.Expression) -> bool:
    """Whether one dataset is made of the other."""
    text = ex.dotted(name)
    return any(ex.dotted(part) == text for part in walk.walk(expression))


def _are_alike(one: ex.Expression, other: ex.Expression) -> bool:
    """Two calls that differ in nothing that is written out: views of the same data."""
    if not isinstance(one, ex.Call) or not isinstance(other, ex.Call):
        return False
    return ex.dotted(one.function) == ex.dotted(other.function) and (
        _constants(one) == _constants(other)
    )


def _constants(call: ex.Call) -> list[object]:
    return [
        part.value
        for argument in call.arguments
        for part in walk.walk(argument.value)
        if isinstance(part, ex.Constant)
    ]


def subset_of_subset(loader: Loader) -> bool:
    """`DataLoader(Subset(ds, indices), sampler=SubsetRandomSampler(indices))`."""
    subsets = {"torch.utils.data.Subset": ("dataset", "indices")}
    subsets["torch.utils.data.dataset.Subset"] = subsets["torch.utils.data.Subset"]
    inner = _definitions(loader, "dataset", subsets)
    return bool(inner & _definitions(loader, "sampler", knowledge.SUBSETS))


def _definitions(loader: Loader, name: str, signatures: arguments.Signatures) -> set[ex.Definition]:
    """The names by which indices are given to what an argument holds."""
    values = loader.values(name)
    if len(values) != 1:
        return set()
    found = (
        given_to_sampler(loader.context, value, signatures, "indices")
        for value in values
        if isinstance(value, AllocationSite)
    )
    return {
        given[0].definition
        for given in found
        if given is not None
        and isinstance(given[0], ex.Reference)
        and given[0].definition is not None
    }


def borrowed(loader: Loader) -> Borrowed | None:
    """The sampler of another loader, where one that was made beside it is left over."""
    context = loader.context
    values = loader.values("sampler")
    made = next(iter(values)) if len(values) == 1 else None
    if not isinstance(made, AllocationSite) or library_path(made) not in knowledge.PLAIN:
        return None
    every = [one for group in context[Loaders].by_call().values() for one in group]
    if any(x.call is loader.call and UNKNOWN in x.values("sampler") for x in every):
        return None  # the other one may be given what is left over
    sharing = [x for x in every if x.values("sampler") == values]
    others = [x for x in sharing if x.call is not loader.call or _trains_beside(x, loader)]
    if others and loader is not _less_fit(sharing):
        return None
    if not others and not _is_for_all_rounds(loader, made):
        return None
    beside = (c for c in made.call.scope.calls if c.name == made.call.name and c is not made.call)
    unread = next(filter(context[Mentions].is_unread, beside), None)
    if unread is None:
        return None
    other = others[0] if others else None
    makers = None if other is None or other.call is not loader.call else _makers(loader, other)
    return Borrowed(other, context.place_of(unread), makers)


def _trains_beside(other: Loader, loader: Loader) -> bool:
    """Whether one call makes both for two calls of its function, and only the other one trains."""
    return _makers(loader, other) is not None and other.trains and only_evaluates(loader)


def _makers(loader: Loader, other: Loader) -> tuple[Place, Place] | None:
    """The calls of a function that lead to each of two loaders, where these are apart."""
    pairs = zip(loader.maker_places, other.maker_places, strict=False)
    return next(((one, further) for one, further in pairs if one != further), None)


def _is_for_all_rounds(loader: Loader, sampler: AllocationSite) -> bool:
    """Whether rounds of a call make loaders with one sampler, to train by and to evaluate by."""
    is_apart = sampler.call.scope is loader.call.scope and not is_in_rounds(sampler.call)
    return is_apart and serves_apart(loader)


def _less_fit(sharing: list[Loader]) -> Loader:
    """The loader that is not the one its sampler was made for: it evaluates, or comes last."""
    evaluating = [x for x in sharing if only_evaluates(x) or is_named_for_evaluation(x)]
    pool = evaluating if 0 < len(evaluating) < len(sharing) else sharing
    return max(pool, key=lambda x: (x.call.scope.module.path, x.call.span))


def is_batching(loader: Loader) -> bool:
    """Whether `sampler` certainly yields lists: torch's `BatchSampler`, or one of the project."""
    return _all_in(loader, "sampler", knowledge.BATCHING) or own_batching(loader) is not None


def own_batching(loader: Loader) -> Class | None:
    """The class of the project of which `sampler` certainly is, and which yields lists."""
    values = [value for value in loader.values("sampler") if value != NONE]
    if not values or not all(yields_lists(loader.context, value) for value in values):
        return None
    if takes_index_apart(loader):
        return None  # a list is one index of such a data set
    return attributes.project_class(values[0])


def is_not_batching(loader: Loader) -> bool:
    """Whether `batch_sampler` is certainly a sampler that yields one index at a time."""
    return _all_in(loader, "batch_sampler", knowledge.PLAIN)


def _all_in(loader: Loader, name: str, paths: frozenset[str]) -> bool:
    found = [a.value for a in loader.argument(name) if a.value not in (ABSENT, NONE)]
    return bool(found) and all(
        not isinstance(value, Absent) and index_giver(loader.context, value) in paths
        for value in found
    )
