"""non-blocking-to-mps: asynchronous copies of batches to Apple's MPS device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.written import keyword_place
from dlint.model.transfers import copies
from dlint.model.transfers.devices import Device
from dlint.model.transfers.mps_paths import excludes_mps, outlives_copy

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer

_POSITION = 2


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies of batches that do not block, where the device may be MPS."""
    for transfer in context[Loaders].transfers:
        if not transfer.is_to or Device.MPS not in transfer.devices:
            continue
        if (
            transfer.never_blocks
            and not copies.depends_on_device(transfer)
            and not excludes_mps(context, transfer.call)
            and not _moved(transfer)
        ):
            yield _finding(transfer)


def _moved(transfer: Transfer) -> bool:
    """Whether a framework has moved the batch already."""
    frameworks = transfer.context[Consumption]
    return any(frameworks.takes_over(b.loader, Duty.MOVES_BATCH) for b in transfer.batches)


def _finding(transfer: Transfer) -> Finding:
    context = transfer.context
    always = transfer.devices == {Device.MPS}
    asked = transfer.is_mps_by_choice
    where = "" if always else ", which this device is on Apple's machines"
    if asked:
        where = ", which this device is where MPS is asked for"
    loader = context[Loaders].of(transfer.batches[0].loader)
    return Finding(
        Severity.INFO if asked or outlives_copy(transfer) else Severity.ERROR,
        f"`non_blocking=True` is not safe in a copy to MPS{where}: the batch may be freed or "
        "overwritten before it has been copied, which gives wrong values; let the copy block there",
        transfer.place,
        (Related(loader.place, "the batch comes from this loader"),),
        _fix(transfer, always=always),
        keyword_place(transfer.call, "non_blocking"),
    )


def _fix(transfer: Transfer, *, always: bool) -> Fix | None:
    """Block where the device is not CUDA."""
    place = transfer.place
    operation: Operation = RemoveArgument(place, "non_blocking", _POSITION, "False")
    if not always:
        test = copies.is_cuda(transfer)
        if test is None:
            return None
        operation = SetArgument(place, "non_blocking", test, _POSITION)
    return Fix(Applicability.SAFE, "Let the copy block on MPS", (operation,))
