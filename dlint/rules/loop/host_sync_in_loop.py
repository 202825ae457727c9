"""host-sync-in-loop: training steps that wait for the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loops.element_reads import ElementReads, element_reads
from dlint.model.loops.few_batches import is_short
from dlint.model.loops.framework_syncs import FrameworkSync, framework_syncs
from dlint.model.loops.host_syncs import HostSync, host_syncs
from dlint.model.worth.worth import reading_values

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Reads of the loss and copies of new tensors at every step."""
    for sync in host_syncs(context):
        related = [Related(sync.loop.place, "each step of this loop runs it")]
        if sync.inner_place is not None:
            related.append(Related(sync.inner_place, "it is read here"))
        related += [Related(place, "this waits, too") for place in sync.other_places]
        yield Finding(Severity.INFO, _message(sync), sync.place, tuple(related))
    for reads in element_reads(context):
        first, *others = reads.places
        related = [Related(reads.loop.place, "each round of this loop runs it")]
        related += [Related(place, "this waits, too") for place in others]
        severity = Severity.WARNING if _is_costly(reads) else Severity.INFO
        yield Finding(severity, _ELEMENTS, first, tuple(related))
    for step in framework_syncs(context):
        related = [Related(place, "this waits, too") for place in step.other_places]
        yield Finding(Severity.INFO, _of_step(step), step.place, tuple(related))


def _is_costly(reads: ElementReads) -> bool:
    """Whether each step of a training is known to read so many values that it can be noticed."""
    if reads.samples is None or not reads.loop.trains or is_short(reads.loop):
        return False
    return reading_values(reads.samples).is_noticeable_beside_waits


def _of_step(step: FrameworkSync) -> str:
    if step.asked:
        return _ASKED[step.asked]
    return (
        f"`{step.name}` needs the loss on the host, so every step that {step.framework} runs waits "
        "until the GPU has done all that was asked of it; keep `loss.detach()`, and hand tensors "
        "to the log as they are"
    )


def _message(sync: HostSync) -> str:
    if sync.asked:
        return _ASKED[sync.asked]
    if sync.built:
        return (
            f"`torch.{sync.built}` makes this tensor on the CPU at every step, and its copy to "
            "the GPU makes the host wait; make it on the device with `device=`, or once before "
            "the loop"
        )
    what = "the loss" if sync.of_loss else "a result of the step"
    return (
        f"`{sync.name}` needs {what} on the host, so every step waits until the GPU has done "
        f"all that was asked of it; {_KEPT[sync.of_loss]} and read it every so many steps"
        f"{_CHECKED if sync.ends_run else ''}"
    )


_KEPT = {True: "keep `loss.detach()`", False: "add it up on the GPU"}

_CHECKED = ", and let the test that ends the run come as seldom"

_ASKED = {
    "synchronize": (
        "`torch.cuda.synchronize` makes every step wait until the GPU has done all that was asked "
        "of it, so the next batch is prepared only then; leave it out, or synchronize where time "
        "is measured"
    ),
    "empty_cache": (
        "`torch.cuda.empty_cache` at every step gives memory back that the next step has to ask "
        "the driver for again, which waits for the GPU; leave it out, or call it once after the "
        "loop"
    ),
    "parameters": (
        "a value of each parameter is read on the host, so every step waits for the GPU as often "
        "as the model has parameters; put the values together on the GPU (`torch.stack`), and "
        "read that once, every so many steps"
    ),
}
"""What a step seldom needs: calls of torch, by their last name, and reads of parameters."""

_ELEMENTS = (
    "the elements of a tensor on the GPU are read one by one, so each round of this loop waits for "
    "the GPU as often as there are elements; bring them all at once, by `tolist()`, or compute "
    "with the whole tensor on the GPU"
)
