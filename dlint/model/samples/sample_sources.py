"""Whose samples a part of a data set hands on.

Question: from which data sets do torch's own parts (`Subset`, `random_split`, `ConcatDataset`) and
lists of these take their samples. A wrapper of the project is a data set of its own. Given up on,
so that the answer holds what is unknown: parts whose data set is replaced later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.library_facts.passthrough import SPLITS
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.contents import contents
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Container,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Store

_WHOLE = {"Subset": "dataset", "ConcatDataset": "datasets"}
_TORCH = ("torch.utils.data.", "torch.utils.data.dataset.")
_MOST = 30
"""How many values are looked at."""


def sources_of(context: AnalysisContext, datasets: Iterable[Value]) -> frozenset[Value]:
    """The data sets whose samples some others give as they are, torch's parts left out."""
    waiting = list(datasets)
    seen: set[Value] = set()
    found: set[Value] = set()
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        inner = _parts(context, value)
        waiting += inner or ()
        found |= {value} if inner is None else set()
    return frozenset(found) | (frozenset({UNKNOWN}) if waiting else frozenset())


def _parts(context: AnalysisContext, value: Value) -> list[Value] | None:
    """What torch's part of a data set, or a list, takes its samples from; None for others."""
    if isinstance(value, Container):
        node = contents(context.solver, value, None)
        context.solver.settle()
        return list(node.values)
    if not is_of_library(value):
        return None
    path = library_path(value)
    name = "dataset" if path in SPLITS else _WHOLE.get(path.rpartition(".")[2])
    if name is None or not (path in SPLITS or path.startswith(_TORCH)):
        return None
    if any(_is_replaced(context, value, store) for store in context.project.writing(name)):
        return [UNKNOWN]
    passed = context.solver.passed.get(value)
    bound = None if passed is None else argument_for(passed, 0, name).expression
    return [UNKNOWN] if bound is None else list(context.solver.values(*bound))


def _is_replaced(context: AnalysisContext, part: AllocationSite, store: Store) -> bool:
    """Whether a store may put another data set behind a part: `part.dataset = other`."""
    found = context.values(store.target.value, store.scope)
    return any(isinstance(value, AllocationSite) and value.call is part.call for value in found)
