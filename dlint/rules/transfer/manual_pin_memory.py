"""manual-pin-memory: batches that the training loop pins itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, ReplaceExpression, SetArgument
from dlint.model.transfers.manual_pins import ManualPin, manual_pins

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_PIN = "torch.cuda.is_available()"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls of `pin_memory()` on batches in a loop."""
    for pin in manual_pins(context):
        pinned = pin.loader.is_pinned
        if not pinned and not pin.transfer.may_reach_cuda:
            continue
        yield Finding(
            Severity.INFO if pinned else Severity.WARNING,
            _message(pinned),
            pin.place,
            (Related(pin.loader.place, "the batch comes from this loader"),),
            _fix(pin),
        )


def _message(pinned: bool) -> str:
    if pinned:
        return (
            "the loader pins this batch already, so `pin_memory()` only asks whether it is pinned; "
            "leave it out"
        )
    return (
        "`pin_memory()` copies the batch while the loop waits, which takes about as long as the "
        "copy to the GPU that it is to speed up; give the loader `pin_memory=True`, which pins in "
        "a thread of its own"
    )


def _fix(pin: ManualPin) -> Fix | None:
    """Let the loader pin; a line that does nothing but pin is for a person to take out."""
    if pin.batch is None or pin.is_whole_statement:
        return None
    operations: list[Operation] = [ReplaceExpression(pin.place, pin.batch)]
    if _leaves_pinning_open(pin.loader):
        known = pin.loader.position("pin_memory")
        operations.append(SetArgument(pin.loader.place, "pin_memory", _PIN, known))
    return Fix(Applicability.SAFE, "Let the loader pin", tuple(operations))


def _leaves_pinning_open(loader: Loader) -> bool:
    """Whether nothing is said of `pin_memory`, also not in what the call unpacks."""
    return not loader.unpacks and all(a.is_absent for a in loader.pinning)
