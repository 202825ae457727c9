"""host-sync-in-loop: training steps that wait for the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.path_tests import is_optional, runs_whenever
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.ir.module import Block, Statement
from dlint.library_facts import tensors
from dlint.model import transfers
from dlint.model.graph_retention import gradient_of
from dlint.model.loaders import Loaders
from dlint.model.loops import GRADIENT_STEPS, BatchLoop, batch_loops, calls_in
from dlint.model.timing import is_benchmark

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


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


_CHECKS = frozenset({"isfinite", "isnan", "isinf", "scale", "scale_loss", "unscale_"})
"""Calls for which the host has to know the loss, or that wait themselves."""

_WAITS = frozenset({"synchronize", "barrier"})
"""Calls that wait for the GPU at every step anyway."""


_QUEUING = GRADIENT_STEPS | {"step"}
"""Calls that give the GPU more to do."""


class HostSync(NamedTuple):
    """One place where every step waits."""

    call: ex.Call
    loop: BatchLoop
    built: str = ""
    """The function that makes a tensor on the CPU, where it is its copy that waits."""
    others: tuple[ex.Call, ...] = ()
    """Later reads of the loss in the same step."""


def host_syncs(context: AnalysisContext) -> Iterator[HostSync]:
    """Reads of the loss, and copies of new tensors, at every step of a loop on the GPU."""
    seen: set[ex.Call] = set()
    for loop in context[batch_loops]:
        body = loop.body
        if body is None or not loop.takes_gradients or not _runs_on_cuda(context, loop):
            continue
        calls = [call for call in calls_in(body) if call not in seen]
        seen.update(calls)
        steps = [call.statement for call in calls_in(body) if call.name in GRADIENT_STEPS]
        steady = [call for call in calls if _is_in_each_step(call, steps)]
        waits = any(call.name in _WAITS for call in steady) or is_benchmark(loop.scope.module)
        if not waits and not any(call.name in _CHECKS for call in calls):
            yield from _reads(context, loop, steady, body)
        yield from _built(context, loop, steady)


def _runs_on_cuda(context: AnalysisContext, loop: BatchLoop) -> bool:
    loaders = (context[Loaders].of(made) for made in loop.loaders)
    return any(transfer.may_reach_cuda for loader in loaders for transfer in loader.transfers)


def _is_in_each_step(call: ex.Call, steps: list[Statement]) -> bool:
    """Whether each round that takes a gradient makes a call, whichever gradient that is."""
    return not is_optional(call) and all(runs_whenever(call.statement, step) for step in steps)


def _reads(
    context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call], body: Block
) -> Iterator[HostSync]:
    """The first read waits; the others must go as well for a step not to wait."""
    named = [(call, _read(call)) for call in calls]
    reads = [c for c, loss in named if loss is not None and gradient_of(context, loss, body)]
    if reads and not _has_waited(named, reads[0]):
        yield HostSync(reads[0], loop, others=tuple(reads[1:]))


def _has_waited(named: list[tuple[ex.Call, ex.Reference | None]], read: ex.Call) -> bool:
    """Whether the step has waited for other results behind the loss, and asked for no more."""
    loss = next((found for call, found in named if call is read), None)
    made = loss.definition.span[0] if loss is not None and loss.definition is not None else None
    if made is None:
        return False
    between = [call for call, _ in named if made < call.span[0] and call.span[1] < read.span[1]]
    behind = [i for i, call in enumerate(between) if _brings(call) and call is not read]
    return bool(behind) and not any(call.name in _QUEUING for call in between[behind[-1] :])


def _brings(call: ex.Call) -> bool:
    """Whether a method of a tensor waits for its values; `numpy` takes those of the host only."""
    is_method = isinstance(call.function, ex.Attribute) and not call.arguments
    return is_method and call.name in tensors.FETCHES - {"numpy"}


def _read(call: ex.Call) -> ex.Reference | None:
    """The name whose value a call needs on the host."""
    source: ex.Expression | None = None
    if isinstance(call.function, ex.Attribute) and call.name in tensors.FETCHES:
        source = call.function.value
    elif isinstance(call.function, ex.Reference) and call.name in ("float", "print"):
        source = written(call, 0) if len(call.arguments) == 1 else None
    while True:
        if isinstance(source, ex.Attribute) and source.name == "data":
            source = source.value
        elif isinstance(source, ex.Call) and source.name == "detach":
            source = source.function.value if isinstance(source.function, ex.Attribute) else None
        else:
            return source if isinstance(source, ex.Reference) else None


def _built(context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call]) -> Iterator[HostSync]:
    """`torch.zeros(…).to(device)`: made on the CPU, then copied."""
    for call in calls:
        made = call.function.value if isinstance(call.function, ex.Attribute) else None
        if not isinstance(made, ex.Call) or call.name not in tensors.COPIES:
            continue
        device, flag = transfers.of_to(call) if call.name == "to" else (None, None)
        if (call.name == "to" and device is None) or flag is not None:
            continue
        bound = bind(context, made)
        given = any(bound.may_be_given(name) for name in ("device", "pin_memory"))
        if is_call_to(context, made, tensors.FACTORIES) and not given:
            yield HostSync(call, loop, made.name or "")
