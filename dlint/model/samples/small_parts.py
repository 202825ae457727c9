"""Parts of batches that hold little: a number or two of each sample, or a text.

What the first part of a batch holds is taken to be the input. Of the others, and of what stands
under a key, position and name say that it is small: a label, an index, a length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.value_parts import names_of
from dlint.ir import expressions as ex
from dlint.library_facts.batches import SMALL
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_named_for_evaluation
from dlint.model.loops.batch_loops import EVALUATION
from dlint.model.loops.epochs import name_of
from dlint.model.samples.tensor_parts import part_of

if TYPE_CHECKING:
    from dlint.model.loops.batch_loops import BatchLoop


def is_small_part(part: ex.Expression) -> bool:
    """Whether a part of a batch is small, by its position, its key or its name."""
    key = part_of(part)
    if isinstance(key, int) and key > 0:
        return True
    names = [one.name for one in names_of(part) if isinstance(one, ex.Reference | ex.Attribute)]
    names += [key] if isinstance(key, str) else []
    return any(map(SMALL.search, names))


def is_for_evaluation(loop: BatchLoop) -> bool:
    """Whether names say that a loop evaluates: its function's, or those of all its loaders."""
    if loop.is_named_for_evaluation or EVALUATION.search(name_of(loop)) is not None:
        return not loop.trains
    loaders = [loop.context[Loaders].of(made) for made in loop.loaders]
    return all(map(is_named_for_evaluation, loaders))
