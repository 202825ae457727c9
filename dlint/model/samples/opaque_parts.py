"""Parts of batches that torch does not pin, since they are objects of the project's classes.

Question: does what a loop copies to a GPU certainly lie in a part of the batch that is such an
object? The input is the first part of a batch, or what stands under a key that does not name
something small. Followed: the part by its position or key, to what each way through the collate
function returns there. Given up on: parts that are lists of objects, and classes that pin their
tensors anywhere, or may get that from elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.returned_items import returned_items
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.batches import SMALL
from dlint.model.samples import batch_parts
from dlint.model.samples.samples import BatchClass, callee_of, hiding_class

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer

_METHOD = "pin_memory"


class OpaquePart(NamedTuple):
    """The part of batches that is copied as an object: its key, its class, and a copy of it."""

    key: batch_parts.Key
    cls: BatchClass
    copy: Transfer


def opaque_part(loader: Loader) -> OpaquePart | None:
    """The part in which the input lies that is copied to a GPU, if torch does not pin it."""
    for copy in loader.transfers:
        if not copy.may_reach_cuda or copy.goes_to_cpu(loader) or batch_parts.copies_once(copy):
            continue
        part = part_of(loader, copy)
        if part is not None and _is_input(part.key) and copy.copies_pinned(loader.made):
            return part
    return None


def copies_more(loader: Loader) -> bool:
    """Whether another part is copied whole that may be large, and that torch pins."""
    copies = [copy for copy in loader.transfers if copy.may_reach_cuda]
    others = [c for c in copies if part_of(loader, c) is None and not batch_parts.is_leaf(c)]
    keys = map(batch_parts.key_of, others)
    return any(key is None or isinstance(key, int) or _is_input(key) for key in keys)


def part_of(loader: Loader, copy: Transfer) -> OpaquePart | None:
    """The part of a loader's batches that is copied, or in which that lies, if it is such one."""
    key = batch_parts.key_of(copy)
    cls = None if key is None else _class_under(loader, key)
    return None if key is None or cls is None else OpaquePart(key, cls, copy)


def _is_input(key: batch_parts.Key) -> bool:
    return key == 0 if isinstance(key, int) else SMALL.search(key) is None


def _class_under(loader: Loader, key: batch_parts.Key) -> BatchClass | None:
    """The first class of what stands under a key of all batches; None where it may be no such."""
    context, found = loader.context, list[BatchClass | None]()
    for value in loader.values("collate_fn"):
        scope = callee_of(context, value)
        plain = scope is not None and not scope.decorators
        items = returned_items(context, scope, key) if plain and scope is not None else []
        values = {v: None for item, frame in items for v in context.solver.values(item, frame)}
        found += [hiding_class(context, v) for v in values] or [None]
    if not found or None in found or _is_given_later(context):
        return None
    return found[0]


def _is_given_later(context: AnalysisContext) -> bool:
    """Whether code gives some class its `pin_memory` from outside."""
    if context.project.writing(_METHOD):
        return True
    return any(
        (name := ex.constant(written(call, 1))) is not None and name.value == _METHOD
        for call in calls_anywhere(context, "setattr")
    )
