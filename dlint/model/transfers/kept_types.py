"""Conversions that change nothing, since the batch has that type already.

Question: does `x.float()`, or `x.to(torch.float32)`, certainly give the tensor of the batch itself?
torch makes no new one of a tensor that has the type (`Tensor.to` returns `self`). Followed: the
part of the batch that it is, as torch's own collate function makes it, to what the data set returns
there. Given up on: other collate functions, and parts that a loop takes in ways that are not plain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.number_types import asked_type, number_type
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.ir import expressions as ex
from dlint.model.samples.collation import collates_by_default, sample_sources
from dlint.model.samples.list_fields import field
from dlint.model.samples.tensor_parts import part_of
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.values import Value


def changes_nothing(loader: Loader, operation: ex.Call) -> bool:
    """Whether an operation on a part of a batch asks for the type that this has already."""
    root = loader.context.solver.root(operation.scope)
    asked, callee = asked_type(loader.context, operation, root), operation.function
    if asked is None or not isinstance(callee, ex.Attribute) or not collates_by_default(loader):
        return False
    key, sources = part_of(callee.value), sample_sources(loader)
    if key is None or not sources:
        return False
    return all(_type_in(loader, source, key) == asked for source in sources)


def _type_in(loader: Loader, source: Value, key: int | str) -> str | None:
    """The type of one part of the samples of a data set."""
    context, cls = loader.context, attributes.project_class(source)
    if cls is None:
        return _type_of_library(loader, source, key)
    method = context.solver.classes.method(cls, "__getitem__")
    part = None if method is None else field(context, method, key)
    return None if part is None else number_type(context, *part)


def _type_of_library(loader: Loader, source: Value, key: int | str) -> str | None:
    sample = loader.context[DatasetSizes].any_of([source]).sample
    if sample is None or not isinstance(key, int) or not 0 <= key < len(sample):
        return None
    return None if sample[key].is_image else sample[key].dtype
