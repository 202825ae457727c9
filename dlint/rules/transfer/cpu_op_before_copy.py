"""cpu-op-before-copy: pinned batches that a CPU operation copies before they go to the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.converted_batches import are_floats, are_of_library, converted_by, joins

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies of what a CPU operation made of a pinned batch."""
    for transfer in context[Loaders].transfers:
        operation = converted_by(transfer) if transfer.may_reach_cuda else None
        if operation is None:
            continue
        loader = _pinned(transfer)
        if loader is not None and not _is_other(loader, operation):
            yield Finding(
                Severity.INFO,
                _message(operation),
                transfer.place,
                (Related(loader.place, "the batch is pinned here"),),
            )


def _message(operation: str) -> str:
    unless = "" if joins(operation) else ", unless the batch has that type already"
    return (
        f"`{operation}` makes a new tensor in ordinary memory{unless}, so this copy gains nothing "
        "from the loader's pinning; copy first with `non_blocking=True`, and let the GPU run "
        f"`{operation}`"
    )


def _is_other(loader: Loader, operation: str) -> bool:
    """Whether the operation changes nothing, or is one of something that is no tensor."""
    return (operation == "float" and are_floats(loader)) or are_of_library(loader)


def _pinned(transfer: Transfer) -> Loader | None:
    """The pinned loader whose batches a CPU operation has copied, and no other."""
    context = transfer.context
    for batch in transfer.batches:
        loader = context[Loaders].of(batch.loader)
        kept = transfer.copies_pinned(batch.loader)
        moved = context[Consumption].takes_over(batch.loader, Duty.MOVES_BATCH)
        if batch.fresh and not kept and moved is None and loader.is_pinned:
            return None if transfer.goes_to_cpu(loader) else loader
    return None
