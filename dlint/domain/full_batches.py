"""Evaluations that take it for granted that every batch is full."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.index import expressions as ex
from dlint.index import walk

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader
    from dlint.domain.loops import BatchLoop

_SIZE = re.compile(r"^(n_?)?(val_?|test_?|eval_?)?batch_?size$|^bs$", re.I)
"""Names of the number of samples in a batch."""

_COMPARING = re.compile(rb"contrastiv|contrast_loss|info_?nce|nce_loss|nt_?xent|triplet", re.I)
"""Words of losses that compare the samples of a batch with one another."""


def takes_full_batches(loader: Loader) -> bool:
    """Whether an evaluation counts by the size of a batch, or its loss depends on that size."""
    project = loader.program.project
    modules = {loader.call.scope.module, *(loop.scope.module for loop in loader.loops)}
    return any(map(_counts_by_size, loader.loops)) or any(
        _COMPARING.search(project.text(module.path)) for module in modules
    )


def _counts_by_size(loop: BatchLoop) -> bool:
    """Whether a loop speaks of the size of a batch that was not taken from the batch itself."""
    for statement in () if loop.body is None else walk.statements(loop.body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Reference | ex.Attribute) and _SIZE.search(part.name):
                    made = part.definition if isinstance(part, ex.Reference) else None
                    if made is None or made.span < loop.statement.span:
                        return True
    return False
