"""Loaders whose samples are in memory, where taking one is no more than indexing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.passthrough import SPLITS
from dlint.model.given_datasets import given_datasets
from dlint.model.samples import collate_functions
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, External, Value

if TYPE_CHECKING:
    from dlint.model.loader import Loader

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
    """Whether a data set of the project takes a sample without calling anything."""
    cls = attributes.project_class(value)
    method = None if cls is None else loader.context.solver.classes.method(cls, "__getitem__")
    return method is not None and not any(method.calls)
