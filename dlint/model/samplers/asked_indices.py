"""What a loader asks its data set for: one index after the other, or lists of them.

Question: may `__getitem__` be given a list, for which an array gives a copy and no view? It may
where the loader makes no batches and a sampler draws whole ones (`sampler=BatchSampler(…)` with
`batch_size=None`). Known are torch's samplers; of any other one both may come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.library_facts.samplers import DISTRIBUTED, WHOLE
from dlint.semantics.values.values import NONE, library_path

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_ONE_BY_ONE = frozenset(WHOLE) | frozenset(DISTRIBUTED)


def asks_for_numbers(loader: Loader) -> bool:
    """Whether a loader certainly asks its data set for single indices."""
    makes_batches = all(a.value != NONE for a in loader.argument("batch_size"))
    return makes_batches or all(
        sampler.is_nothing or library_path(sampler.value) in _ONE_BY_ONE
        for sampler in loader.argument("sampler")
    )
