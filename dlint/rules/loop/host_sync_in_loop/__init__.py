"""host-sync-in-loop: training steps that wait for the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.rules.loop.host_sync_in_loop.host_syncs import host_syncs

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.rules.loop.host_sync_in_loop.host_syncs import HostSync


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Reads of the loss and copies of new tensors at every step."""
    for sync in host_syncs(context):
        related = [Related(sync.loop.place, "each step of this loop runs it")]
        related += [Related(context.place_of(c), "the loss is read here too") for c in sync.others]
        place = context.place_of(sync.call)
        yield Finding(Severity.INFO, _message(sync), place, tuple(related))


def _message(sync: HostSync) -> str:
    if sync.built:
        return (
            f"`torch.{sync.built}` makes this tensor on the CPU at every step, and its copy to "
            "the GPU makes the host wait; make it on the device with `device=`, or once before "
            "the loop"
        )
    return (
        f"`{sync.call.name}` needs the loss on the host, so every step waits until the GPU has "
        "done all that was asked of it; keep `loss.detach()` and read it every so many steps"
    )
