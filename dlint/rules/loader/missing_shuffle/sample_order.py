"""Data sets whose order is a choice: iterable ones, shuffled ones, series and whole batches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.sample_work import CONVERTING_DATASETS, READING_DATASETS
from dlint.library_facts.samplers import DRAWING
from dlint.model.given_datasets import given_datasets
from dlint.model.loops import LoadersGiven
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    ClassObject,
    External,
    Literal,
    Value,
)

if TYPE_CHECKING:
    from dlint.model.loader import Loader

_SERIES = re.compile(
    r"seq|series|stream|window|forecast|replay|rollout|trajector|episode|curricul|pair|triplet|"
    r"contrast|video|buffer|bucket|sort|bptt|language|corpus|lm_|chunk|random|infinite|packed|sampl",
    re.I,
)
"""Words of data whose order is meant, or that draw at random themselves."""
_DRAWING = frozenset(
    {"shuffle", "permutation", "randperm", "sample", "randint", "choice", "randrange", "choices"}
)


def is_map_style(loader: Loader) -> bool:
    """Whether the data set is certainly one that takes an index, of known code."""
    found = list(loader.values("dataset"))
    return bool(found) and all(_takes_index(loader, value) for value in found)


def _takes_index(loader: Loader, value: Value) -> bool:
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        path = value.origin.path
        return path in READING_DATASETS | CONVERTING_DATASETS or path.endswith(".TensorDataset")
    cls = attributes.project_class(value)
    if cls is None:
        return False
    classes = loader.context.solver.classes
    iterates = classes.method(cls, "__iter__") is not None
    return classes.method(cls, "__getitem__") is not None and not iterates


def has_own_order(loader: Loader) -> bool:
    """Whether a name speaks of an order, the samples are drawn, or one batch holds them all."""
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if cls is not None and (_SERIES.search(cls.name) or _draws(loader, cls)):
            return True
        origin = value.origin if isinstance(value, AllocationSite) else None
        if isinstance(origin, External) and origin.path in SPLITS:
            return True
    return _is_whole(loader) or _is_drawn_elsewhere(loader)


def _is_drawn_elsewhere(loader: Loader) -> bool:
    """Whether a library makes another loader of this one, or a project class is one."""
    if isinstance(loader.made.origin, ClassObject):
        return True
    context = loader.context
    given = (made for call in context.calls(*DRAWING) for made in context[LoadersGiven].to(call))
    return any(made.call is loader.call for made in given)


def _draws(loader: Loader, cls: Class) -> bool:
    """Whether the class shuffles, or draws indices at random."""
    classes = loader.context.solver.classes
    methods = (m for c in classes.ancestors(cls) for m in c.methods.values())
    return any(call.name in _DRAWING for method in methods for call in method.calls)


def _is_whole(loader: Loader) -> bool:
    """Whether a batch is no draw of several samples: all of them, one alone, or none of torch's."""
    written = loader.written("batch_size")
    if written is not None and any(
        isinstance(p, ex.Call) and p.name == "len" for p in walk.walk(written)
    ):
        return True
    found = loader.argument("batch_size")
    return any(a.value == NONE for a in found) or any(
        isinstance(a.value, Literal) and a.value.value == 1 for a in found
    )
