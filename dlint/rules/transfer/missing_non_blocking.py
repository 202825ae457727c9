"""missing-non-blocking: pinned batches that are copied to CUDA by a copy that waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.library_facts.frameworks import Duty
from dlint.library_facts.readers import MUTATORS
from dlint.model import batch_parts, copies, samples, timing
from dlint.model.dated_code import is_dated
from dlint.model.devices import Device
from dlint.model.frameworks import Consumption
from dlint.model.hardware import mentions_mps
from dlint.model.loaders import Loaders
from dlint.model.loops import batch_loops, calls_in
from dlint.model.worth import amount
from dlint.semantics.values.values import Container, Zipped

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop
    from dlint.model.transfers import Transfer


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Blocking copies to CUDA of batches that some loader provably pins."""
    for transfer in context[Loaders].transfers:
        if not transfer.is_blocking or not copies.has_flag(transfer):
            continue
        if batch_parts.copies_once(transfer):
            continue
        loader = _pinned(transfer)
        if loader is not None and not timing.measures(transfer):
            yield _finding(transfer, loader)


def _pinned(transfer: Transfer) -> Loader | None:
    """A loader whose pinned batches are copied here."""
    context = transfer.context
    renewed = {batch.loader for batch in transfer.batches if batch.fresh}
    for batch in transfer.batches:
        loader = context[Loaders].of(batch.loader)
        moved = context[Consumption].takes_over(batch.loader, Duty.MOVES_BATCH)
        if (
            batch.loader in renewed
            or moved is not None
            or not loader.is_pinned
            or not loader.is_iterated
            or not loader.is_made
        ):
            continue
        if samples.yields_cuda(loader) or transfer.goes_to_cpu(loader):
            continue
        if samples.opaque_batches(loader):
            # torch pins nothing of them, which is another rule's matter
            continue
        if batch_parts.is_leaf(transfer) or not samples.collates_own_type(loader):
            return loader
    return None


def _finding(transfer: Transfer, loader: Loader) -> Finding:
    safe = copies.is_safe(transfer)
    explicit = transfer.non_blocking is not None
    mps = Device.ANY in transfer.devices or _speaks_of_mps(transfer)
    dated = is_dated(transfer.context, transfer.call.scope.module)
    minor = explicit or transfer.is_read_at_once or mps or dated or is_collected(transfer)
    limit = ", except where the device is MPS" if mps else ""
    fix = Fix(
        Applicability.SAFE if safe and not dated else Applicability.UNSAFE,
        "Copy without blocking",
        (copies.operation(transfer),),
    )
    return Finding(
        Severity.INFO if minor else Severity.WARNING,
        f"this copy of a pinned batch blocks the loop until it is done{amount([loader])}; "
        f"pass `non_blocking=True` so that it overlaps with computation{limit}",
        transfer.context.place_of(transfer.call),
        (Related(loader.place, "the batch is pinned here" + _assumption(loader)),),
        None if explicit else fix,
    )


def _speaks_of_mps(transfer: Transfer) -> bool:
    return mentions_mps(transfer.context, transfer.call.scope.module)


def _assumption(loader: Loader) -> str:
    """The default that the pinning rests on."""
    assumed = next((a.assumed for a in loader.pinning if a.assumed), None)
    return f", by the {assumed}" if assumed else ""


_BUILDERS = frozenset({"list", "tuple", "dict", "len", "range", "enumerate", "isinstance", "print"})


def is_collected(transfer: Transfer) -> bool:
    """Whether every loop that makes this copy only keeps the batches, or may go over kept ones."""
    batches = {batch.loader for batch in transfer.batches}
    loops = [
        x for x in transfer.context[batch_loops] if x.loaders & batches and _makes(x, transfer)
    ]
    return bool(loops) and all(
        _only_keeps(loop, transfer) or _may_be_kept(loop.context, loop.iterable, loop.scope)
        for loop in loops
    )


def _may_be_kept(context: AnalysisContext, iterable: ex.Expression, scope: Scope) -> bool:
    """Whether a list may stand in the place of the loader: its batches, collected before."""
    values = context.values(iterable, scope)
    zipped = [a.value for v in values if isinstance(v, Zipped) for a in v.call.arguments]
    return any(isinstance(value, Container) for value in values) or any(
        _may_be_kept(context, part, scope) for part in zipped if not isinstance(part, ex.Call)
    )


def _calls(loop: BatchLoop) -> list[ex.Call]:
    return [] if loop.body is None or loop.is_single else list(calls_in(loop.body))


def _makes(loop: BatchLoop, transfer: Transfer) -> bool:
    """Whether the copy stands in the body of a loop, or in a function that the body calls."""
    return any(c is transfer.call or _enters(c, transfer) for c in _calls(loop))


def _enters(call: ex.Call, transfer: Transfer) -> bool:
    return transfer.call.scope in callees_of(transfer.context, call)


def _only_keeps(loop: BatchLoop, transfer: Transfer) -> bool:
    """Whether the body puts something into a list or dict, and calls nothing else."""
    calls = _calls(loop)
    kinds = _BUILDERS | MUTATORS | tensors.COPIES
    return any(call.name in MUTATORS for call in calls) and all(
        call.name in kinds or _enters(call, transfer) for call in calls
    )
