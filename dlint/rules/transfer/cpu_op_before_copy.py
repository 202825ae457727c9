"""cpu-op-before-copy: batches that a CPU operation copies before they go to the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.few_batches import takes_few_steps
from dlint.model.transfers.converted_batches import (
    are_floats,
    are_of_library,
    converted_by,
    joins,
    joins_samples,
)
from dlint.model.transfers.host_batches import only_gathers
from dlint.model.transfers.renewed_batches import renewed_loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies of what a CPU operation made of a pinned batch, or of the samples of any batch."""
    for transfer in context[Loaders].transfers:
        operation = converted_by(transfer) if transfer.may_reach_cuda else None
        if operation is None:
            continue
        loader = _gathering(transfer) if joins_samples(transfer) else None
        message, how = _gathered(operation, loader), "the batch comes from here, sample by sample"
        if loader is None:
            loader, message = _pinned(transfer), _message(operation)
            how = "the batch is pinned here"
        if loader is not None and not _is_other(loader, operation):
            related = (Related(loader.place, how),)
            yield Finding(Severity.INFO, message, transfer.place, related)


def _message(operation: str) -> str:
    unless = "" if joins(operation) else ", unless the batch has that type already"
    return (
        f"`{operation}` makes a new tensor in ordinary memory{unless}, so this copy gains nothing "
        "from the loader's pinning; copy first with `non_blocking=True`, and let the GPU run "
        f"`{operation}`"
    )


def _gathered(operation: str, loader: Loader | None) -> str:
    pinned = loader is not None and loader.is_pinned
    pin = "is pinned, too" if pinned else "can be pinned, too"
    return (
        f"`{operation}` puts the samples of this batch together in the training process, step by "
        "step, and the copy is from ordinary memory; let the collate function do it, so that "
        f"workers do, and the whole batch {pin}"
    )


def _gathering(transfer: Transfer) -> Loader | None:
    """A loader whose workers hand over the copied batch as samples that nothing has joined."""
    for batch in transfer.batches:
        loader = transfer.context[Loaders].of(batch.loader)
        if loader.workers.present is None or not loader.is_made or takes_few_steps(loader):
            continue
        if batch.fresh and only_gathers(loader) and not transfer.goes_to_cpu(loader):
            return loader
    return None


def _is_other(loader: Loader, operation: str) -> bool:
    """Whether the operation changes nothing, or is one of something that is no tensor."""
    return (operation == "float" and are_floats(loader)) or are_of_library(loader)


def _pinned(transfer: Transfer) -> Loader | None:
    """The pinned loader whose batches a CPU operation has copied, and no other."""
    context, renewed = transfer.context, renewed_loaders(transfer)
    for batch in transfer.batches:
        loader = context[Loaders].of(batch.loader)
        kept = transfer.copies_pinned(batch.loader) or batch.loader not in renewed
        moved = context[Consumption].takes_over(batch.loader, Duty.MOVES_BATCH)
        if batch.fresh and not kept and moved is None and loader.is_pinned:
            return None if transfer.goes_to_cpu(loader) else loader
    return None
