"""batchnorm-last-batch: a last batch of one sample, of which batch norm has no statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import SetArgument
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.loop_limits import ends_every_round
from dlint.model.loops.normalized_batches import norm_on_batches
from dlint.model.samples.collation import converts_by_default
from dlint.model.worth.volume import LoaderVolume, volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.loops.batch_norms import PointNorm


class Found(NamedTuple):
    """A loop that trains a model with such a norm on every batch of a loader."""

    loop: BatchLoop
    norm: PointNorm


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that leave one sample over, for a model that normalizes over the batch."""
    for group in context[Loaders].told():
        for loader in group:
            finding = _of_loader(loader)
            if finding is not None:
                yield finding
                break


def _of_loader(loader: Loader) -> Finding | None:
    volume = volume_of(loader)
    if not loader.is_made or not _keeps_last(loader) or not _may_be_one(volume):
        return None
    for loop in loader.loops:
        trains_on_all = loop.takes_gradients and ends_every_round(loop)
        norm = norm_on_batches(loader, loop) if trains_on_all else None
        if norm is not None:
            return _finding(loader, volume, Found(loop, norm))
    return None


def _keeps_last(loader: Loader) -> bool:
    """Whether the loader certainly makes batches itself, and gives the last one as it is."""
    if loader.gives("batch_sampler") or not converts_by_default(loader):
        return False
    return all(a.is_absent or a.is_false for a in loader.argument("drop_last"))


def _may_be_one(volume: LoaderVolume) -> bool:
    """Whether the last batch is one sample, or it is not known how many samples there are."""
    samples, size = volume.samples, volume.batch_size
    if size is None or not size.is_exact or size.low <= 1:
        return False
    return samples is None or (samples.is_exact and samples.low % size.low == 1)


def _finding(loader: Loader, volume: LoaderVolume, found: Found) -> Finding:
    samples, size = volume.samples, volume.batch_size
    assumed = [*(samples.assumed if samples else ()), *(size.assumed if size else ())]
    by = f", by the {', '.join(dict.fromkeys(assumed))}" if assumed else ""
    if samples is None or size is None:
        which = "where the number of samples leaves one over, the last batch is a single one, and"
    else:
        which = f"{samples.low:,.0f} samples in batches of {size.low:,.0f}{by} leave one over, and"
    message = (
        f"{which} {found.norm.what} raises ValueError for a batch of one sample in training: "
        "expected more than 1 value per channel; set `drop_last=True`"
    )
    related = (
        Related(found.norm.place, "the batch norm is made here"),
        Related(found.loop.place, "this loop trains on every batch"),
    )
    severity = Severity.INFO if samples is None else Severity.ERROR
    return Finding(severity, message, loader.place, related, _fix(loader))


def _fix(loader: Loader) -> Fix | None:
    if not loader.is_spelled_out or loader.written("drop_last") is not None:
        return None
    operation = SetArgument(loader.place, "drop_last", "True", loader.position("drop_last"))
    return Fix(Applicability.UNSAFE, "Leave out the last batch", (operation,))
