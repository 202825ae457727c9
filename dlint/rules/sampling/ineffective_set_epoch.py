"""ineffective-set-epoch: `set_epoch` that comes too late, or always with one number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import InsertFirstInLoop, Operation, ReplaceExpression
from dlint.findings.places import Place
from dlint.model.loops.epochs import counts, statement_name
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.model.samplers.epoch_setters import epoch_setters
from dlint.model.samplers.set_epochs import Absent, Fault, Ineffective, absent, ineffective

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


_SAME = "every epoch sees the samples in the same order"
_LAGS = (
    "so the first two epochs see the samples in the same order and each later one has the order "
    "that was meant for the one before"
)
_MESSAGES = {
    Fault.CONSTANT: f"`set_epoch` gets the same number in each epoch, so {_SAME}; "
    "pass the number of the epoch",
    Fault.ONCE: f"`set_epoch` is called once, before the epochs, so {_SAME}; "
    "call it in each epoch, before its first batch",
    Fault.DURING: f"`set_epoch` is called when the batches are being drawn already, {_LAGS}; "
    "call it before the loop over the batches",
    Fault.AFTER: f"`set_epoch` is called behind the batches of its epoch, {_LAGS}; "
    "call it before them, or pass the number of the next epoch",
}
_LATE = frozenset({Fault.DURING, Fault.AFTER})


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls that change no order, or that of a wrong epoch, or that fail."""
    reported: set[Place] = set()
    for setter in context[epoch_setters]:
        missing = absent(setter)
        if missing is not None and setter.place not in reported:
            reported.add(setter.place)
            yield _absent_finding(missing)
    for sampler in context[distributed_samplers]:
        if sampler.shuffles and not sampler.has_own_order:
            for found in ineffective(sampler):
                if found.setter.place not in reported:
                    reported.add(found.setter.place)
                    yield _finding(found, sampler.place)


def _finding(found: Ineffective, sampler: Place) -> Finding:
    epoch = found.epoch
    return Finding(
        Severity.WARNING if found.fault in _LATE else Severity.ERROR,
        _MESSAGES[found.fault],
        found.setter.place,
        (
            Related(sampler, "the sampler draws the order by this number"),
            Related(Place(epoch.scope.module.path, *epoch.loop.header), "the epochs are here"),
            Related(epoch.batch_loop.place, "the batches are drawn here"),
        ),
        _fix(found),
    )


def _fix(found: Ineffective) -> Fix | None:
    """Give the call the right number, or repeat it in each epoch."""
    setter, epoch = found.setter, found.epoch
    counter = statement_name(epoch.loop)
    if not counter or not counts(epoch.loop):
        return None
    operation: Operation
    if found.fault is Fault.ONCE:
        name = setter.receiver_name
        if name is None:
            return None
        loop = Place(epoch.scope.module.path, *epoch.loop.span)
        operation = InsertFirstInLoop(loop, f"{name}.set_epoch({counter})")
    elif found.fault is Fault.DURING or setter.argument_place is None:
        return None
    elif found.fault is Fault.AFTER:
        operation = ReplaceExpression(setter.argument_place, f"{setter.argument_name} + 1")
    elif setter.call.scope is not epoch.scope:
        return None  # the number of the epoch has no name there
    else:
        operation = ReplaceExpression(setter.argument_place, counter)
    return Fix(Applicability.UNSAFE, "Set the number of the epoch", (operation,))


def _absent_finding(missing: Absent) -> Finding:
    why, instead = (
        ("is given a `batch_sampler`", "the sampler inside `loader.batch_sampler`")
        if missing.is_batched
        else ("is given no sampler", "a `DistributedSampler` that the loader is given")
    )
    return Finding(
        Severity.ERROR,
        f"this loader {why}, so its `sampler` is one that torch makes itself, and `set_epoch` "
        f"raises an AttributeError; call it on {instead}",
        missing.setter.place,
        (Related(missing.loader.place, "the loader is made here"),),
        _absent_fix(missing),
    )


def _absent_fix(missing: Absent) -> Fix | None:
    """Reach the sampler through the batch sampler, where all know that it is there."""
    context, loader = missing.setter.context, missing.loader
    paths = {s.path_from(loader) for s in context[distributed_samplers] if loader in s.loaders}
    if missing.owner is None or paths != {"batch_sampler.sampler"} or not missing.is_batched:
        return None
    operation = ReplaceExpression(missing.place, f"{missing.owner}.batch_sampler.sampler")
    return Fix(Applicability.SAFE, "Set the epoch of the sampler inside", (operation,))
