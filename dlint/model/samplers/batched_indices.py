"""Loops over batches with a dimension too many, as of indices that are lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.tensors import RESHAPING
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.ir.module import Block
    from dlint.model.loops.batch_loops import BatchLoop


def loses_dimension(loop: BatchLoop) -> bool:
    """Whether a loop may take a further dimension of its batches away again."""
    body = loop.body
    if body is None:
        return False
    return any(call.name in RESHAPING for call in calls_in(body)) or _takes_first(body)


def _takes_first(body: Block) -> bool:
    """`images = images[0]`: whether a loop takes the one item out of what it is given."""
    taken: dict[str, set[object]] = {}
    for part in walk.parts(body):
        if isinstance(part, ex.Subscript) and isinstance(part.value, ex.Reference):
            index = part.index.value if isinstance(part.index, ex.Constant) else None
            taken.setdefault(part.value.name, set()).add(index)
    return {0} in taken.values()
