"""Which worker takes which part of a stream: what loaders and pipes say of it.

Question: may the function that runs first in each worker give the data set its part, and which
filters of a pipe keep everything, for no loader comes to them?
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.stream_words import prepares_worker
from dlint.model.data.streams import Stream, is_stream
from dlint.model.samples import samples
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class UnappliedFilter(NamedTuple):
    """A `sharding_filter()` that keeps all samples, in a data set that is no DataPipe.

    `loaders` are those that are given an object of exactly this class.
    """

    place: Place
    class_name: str
    class_place: Place
    loaders: tuple[Loader, ...]


def unapplied_filters(context: AnalysisContext) -> Iterator[UnappliedFilter]:
    """Filters of pipes that data sets make themselves, which no loader comes to; for each class."""
    known = {dataset.cls: dataset.own_loaders for dataset in context[dataset_classes]}
    for facts in context.modules:
        for cls in facts.module.classes:
            call = Stream(context, cls).unapplied_filter if is_stream(context, cls) else None
            if call is not None:
                at = Place(facts.module.path, *cls.header)
                yield UnappliedFilter(context.place_of(call), cls.name, at, known.get(cls, ()))


def may_get_part(loader: Loader) -> bool:
    """Whether a function that runs first in each worker may give the data set its part."""
    for function in loader.values("worker_init_fn"):
        scope = samples.callee_of(loader.context, function)
        if scope is None and function != NONE:
            return True
        if scope is not None and prepares_worker(scope):
            return True
    return False
