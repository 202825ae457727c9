"""Loaders whose samples are in memory, where taking one is no more than indexing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import tensors as known
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.passthrough import SPLITS
from dlint.model.given_datasets import given_datasets
from dlint.model.samples import collate_functions
from dlint.model.volume import volume_of
from dlint.model.worth import LARGE_SAMPLE
from dlint.semantics.calls import attributes
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, AllocationSite, Container, External, Value

if TYPE_CHECKING:
    from dlint.model.loader import Loader

_LARGE = lazily(r"im(a)?g|video|frame|patch|volume|audio|wave|pixel|spectro", re.I)
"""Names of tensors with samples so large that collating them pays for the way."""
_PARTS = SPLITS | {"torch.utils.data.Subset", "torch.utils.data.dataset.Subset"}


def tensors(loader: Loader) -> list[AllocationSite] | None:
    """The data sets of tensors in memory that a loader is given, if it is given nothing else."""
    found = list(given_datasets(loader))
    made = [v for v in found if isinstance(v, AllocationSite) and isinstance(v.origin, External)]
    paths = [v.origin.path for v in made if isinstance(v.origin, External)]
    tensors = [v for v, path in zip(made, paths, strict=True) if path in TENSOR_DATASETS]
    whole = [v for v in loader.values("dataset") if isinstance(v, AllocationSite)]
    known = len(whole) == len(loader.values("dataset"))
    return tensors if tensors and known and set(paths) - _PARTS <= TENSOR_DATASETS else None


def only_indexes(loader: Loader) -> bool:
    """Whether torch or the project does no more for a sample than index what is in memory."""
    if collate_functions(loader) is None:
        return False
    if tensors(loader) is not None:
        return True
    given = loader.values("dataset")
    return bool(given) and all(_indexes(loader, value) for value in given)


def _indexes(loader: Loader, value: Value) -> bool:
    """Whether a data set of the project takes a sample with no call but those that wrap it."""
    if isinstance(value, Container):
        return True  # a list of samples that somebody has made
    cls = attributes.project_class(value)
    method = None if cls is None else loader.context.solver.classes.method(cls, "__getitem__")
    if method is None or any(method.yields):
        return False
    return all(
        is_call_to(loader.context, call, known.LIGHT_CALLS | known.GROUPING) or _converts(call)
        for call in method.calls
    )


def _converts(call: ex.Call) -> bool:
    """`x.float()`, `x.unsqueeze(0)`: a method that gives the same numbers in another form."""
    return isinstance(call.function, ex.Attribute) and call.name in known.LIGHT_METHODS


def is_better_without_workers(loader: Loader) -> bool:
    """Whether workers of a loader cost more than they save: small samples that lie in memory.

    Where names, or the known bytes, say that samples are large, workers may pay.
    """
    if loader.workers.positive is None or not loader.is_made or not loader.is_iterated:
        return False
    if any(a.value not in (ABSENT, NONE) for a in loader.argument("collate_fn")):
        return False
    found = tensors(loader)
    if found is None:
        return False
    size = volume_of(loader).sample_bytes
    if size is not None:
        return size.low < LARGE_SAMPLE.value
    return not any(map(_is_named_large, found))


def _is_named_large(dataset: AllocationSite) -> bool:
    """Whether the name of a tensor speaks of samples that may be large: images, sound."""
    return any(
        _LARGE.search(part.name)
        for argument in dataset.call.arguments
        for part in walk.walk(argument.value)
        if isinstance(part, ex.Reference | ex.Attribute)
    )
