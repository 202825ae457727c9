"""async-copy-race: copies to the GPU that may run while their memory is used otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.transfers.copy_races import Overwrite, SideCopy, overwrites, side_copies

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Buffers that are filled again too early, and side streams that nobody waits for."""
    for overwrite in overwrites(context):
        yield _overwritten(overwrite)
    for copy in side_copies(context):
        yield _beside(copy)


def _overwritten(overwrite: Overwrite) -> Finding:
    return Finding(
        Severity.ERROR,
        "this copy may still run when the next round writes to the same pinned buffer, so the GPU "
        "gets a mixture of two batches; record an event behind the copy and wait for it before "
        "the buffer is written again",
        overwrite.copy,
        (
            Related(overwrite.write, "the buffer is written again here"),
            Related(overwrite.allocation, "it is allocated once, here"),
        ),
    )


def _beside(copy: SideCopy) -> Finding:
    related = (Related(copy.transfer.place, "the batch is copied here"),)
    if not copy.is_waited_for:
        return Finding(
            Severity.ERROR,
            "the batch is copied in a stream of its own, and nothing makes the default stream "
            "wait for it, so the model may read it before it is there; call "
            "`torch.cuda.current_stream().wait_stream(stream)` before the batch is used",
            copy.stream,
            related,
        )
    return Finding(
        Severity.INFO,
        "the batch belongs to a side stream, and without `record_stream` its memory may be given "
        "to a later copy while the default stream still reads it, unless every step waits for "
        "the GPU; call "
        "`tensor.record_stream(torch.cuda.current_stream())` where the batch is handed out",
        copy.stream,
        related,
    )
