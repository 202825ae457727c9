"""Data sets within others: what those take samples from that a loader is given.

Question: which data sets may the samples of one be of? Followed are parts, sums, lists, and all
that the call is given that makes a data set, a class of the project or a library's. Given up on:
what is handed over in any other way, so that some may be missing. Bounded by a number of calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located
from dlint.analyses.lists import listed_items
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.model.data.dataset_origins import DatasetOrigins, Origin

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MOST = 60


def data_within(loader: Loader) -> frozenset[Origin]:
    """The data sets that a loader may take samples of, and those that these are made of."""
    given = loader.given("dataset")
    waiting, seen = [] if given is None else [given], set[Located]()
    found: set[Origin] = set()
    while waiting and len(seen) < _MOST:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        made = loader.context[DatasetOrigins].of(*one)
        found |= made or frozenset()
        waiting += [*_arguments(made or frozenset()), *_parts(loader.context, one)]
    return frozenset(origin._replace(position=None) for origin in found)


def _arguments(made: frozenset[Origin]) -> Iterator[Located]:
    return ((a.value, origin.frame) for origin in made for a in origin.call.arguments)


def _parts(context: AnalysisContext, whole: Located) -> Iterator[Located]:
    """The sides of `a + b`, which torch's data sets join, and the items of a list."""
    expression, frame = whole
    made = origin_of(expression)
    if isinstance(made, ex.Binary) and made.operator == "+":
        yield from ((side, frame) for side in (made.left, made.right))
    yield from listed_items(context, expression, frame)
