"""stream-library-setup: streams of other libraries that lack what several epochs or ranks need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.library_streams import unordered_stream, unsplit_shards
from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Shuffled streams whose epoch nobody sets, and shards that nobody gives to ranks."""
    reported: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            for finding in (_order(loader), _shards(loader)):
                if finding is not None and finding.place not in reported:
                    reported.add(finding.place)
                    yield finding


def _order(loader: Loader) -> Finding | None:
    found = unordered_stream(loader)
    if found is None:
        return None
    message = (
        "nothing calls `set_epoch` on this stream, so `shuffle` gives the same order in every "
        "epoch; call `set_epoch(epoch)` on the dataset first in each epoch"
    )
    related = (
        Related(found.epochs.place, "the epochs are counted here"),
        Related(loader.place, "the loader takes its order from the stream"),
    )
    return Finding(Severity.ERROR, message, found.shuffle, related)


def _shards(loader: Loader) -> Finding | None:
    found = unsplit_shards(loader)
    if found is None:
        return None
    message = (
        "this WebDataset has no `nodesplitter`, so with more than one rank its first sample "
        "raises ValueError; pass `nodesplitter=wds.split_by_node`, or `resampled=True`"
    )
    if found.is_pipeline:
        message = (
            "no stage of this pipeline splits the shards among the ranks, so all of them read the "
            "same samples; put `wds.split_by_node` behind the list of shards"
        )
    related = (Related(found.ranks, "the model is trained by several ranks"),)
    return Finding(Severity.ERROR, message, found.place, related)
