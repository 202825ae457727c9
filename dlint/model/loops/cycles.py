"""Loaders that are read once and repeated from memory: `itertools.cycle(loader)`.

Question: which calls of `itertools.cycle` keep the batches of loaders? Followed are names and what
hands a loader on. Silent where all batches are kept on purpose already: `cycle(list(loader))`, and
where single batches alone are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to
from dlint.analyses.single_reads import is_asked_singly
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.gone_through import iterated
from dlint.semantics.values.ordered_set import OrderedSet

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class Cycle(NamedTuple):
    """One call of `itertools.cycle`, and the loaders whose batches it keeps, by their places."""

    place: Place
    loaders: list[Loader]


def cycles(context: AnalysisContext) -> Iterator[Cycle]:
    """The calls of `itertools.cycle` that are given loaders."""
    for call in calls_to(context, "itertools.cycle"):
        given = bind(context, call).get("iterable")
        if given is None or _is_listed(given) or is_asked_singly(context, call):
            continue
        values = context.values(given, call.scope)
        made = OrderedSet(m for value in values for m in iterated(context.solver, value))
        loaders = sorted((context[Loaders].of(m) for m in made), key=lambda loader: loader.place)
        if loaders:
            yield Cycle(context.place_of(call), loaders)


def _is_listed(given: ex.Expression) -> bool:
    """Whether all batches are kept on purpose already: `list(loader)`."""
    if isinstance(given, ex.Reference) and given.definition is not None:
        given = given.definition.value
    return isinstance(given, ex.Call) and given.name in ("list", "tuple", "sorted")
