"""manual-pin-memory: batches that the training loop pins itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import CallGraph
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, ReplaceExpression, SetArgument
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts.concurrency import EdgeKind
from dlint.model import samples
from dlint.model.loaders import Loaders
from dlint.semantics.values.conditional_value import ABSENT

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.transfers import Transfer

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
            context.place_of(pin.call),
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
    callee = pin.call.function
    name = ex.dotted(callee.value) if isinstance(callee, ex.Attribute) else None
    if name is None or _is_whole(pin.call):
        return None
    place = pin.transfer.context.place_of(pin.call)
    operations: list[Operation] = [ReplaceExpression(place, name)]
    if _leaves_pinning_open(pin.loader):
        known = pin.loader.position("pin_memory")
        operations.append(SetArgument(pin.loader.place, "pin_memory", _PIN, known))
    return Fix(Applicability.SAFE, "Let the loader pin", tuple(operations))


def _is_whole(call: ex.Call) -> bool:
    """Whether a statement does nothing but this: `x = x.pin_memory()`."""
    return any(expression is call for expression in walk.expressions(call.statement))


def _leaves_pinning_open(loader: Loader) -> bool:
    unpacked = any(argument.star for argument in loader.call.arguments)
    return not unpacked and all(a.value == ABSENT for a in loader.pinning)


class ManualPin(NamedTuple):
    """A batch that the loop pins itself and then copies."""

    call: ex.Call
    transfer: Transfer
    loader: Loader


def manual_pins(context: AnalysisContext) -> Iterator[ManualPin]:
    """Where the loop over a loader pins its batches itself."""
    seen: set[ex.Call] = set()
    for transfer in context[Loaders].transfers:
        call = _pinned(transfer.source)
        if call is None or call in seen or not any(walk.enclosing_loops(transfer.call.statement)):
            continue
        if _is_asked_for(call) or _runs_apart(context, call.scope):
            continue
        seen.add(call)
        loaders = [context[Loaders].of(batch.loader) for batch in transfer.batches]
        if loaders and not any(samples.batch_classes(loader) for loader in loaders):
            yield ManualPin(call, transfer, loaders[0])


def _pinned(source: ex.Expression) -> ex.Call | None:
    """The `pin_memory()` whose result is copied, directly or by a name."""
    if isinstance(source, ex.Reference) and source.definition is not None:
        source = source.definition.value
    is_call = isinstance(source, ex.Call) and isinstance(source.function, ex.Attribute)
    if is_call and isinstance(source, ex.Call) and source.name == "pin_memory":
        return source
    return None


def _is_asked_for(call: ex.Call) -> bool:
    """Whether a test around it asks whether the batch is pinned already."""
    return any(
        isinstance(part, ex.Attribute | ex.Reference) and "pin" in part.name
        for test, _ in walk.tests(call.statement)
        for part in walk.walk(test)
    )


def _runs_apart(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function is run in a thread or process of its own, beside the loop."""
    owner = scope.owner
    if owner is not None and any("Thread" in b for b in context.solver.classes.externals(owner)):
        return True
    return any(edge.kind is not EdgeKind.CALL for edge in context[CallGraph].callers(scope))
