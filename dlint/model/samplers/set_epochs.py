"""Calls of set_epoch that come too late, always with one number, or to no sampler."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.order import When, is_inside, relative_order, step_of
from dlint.analyses.control.path_tests import can_run, is_tried, tests_of_call
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.model.loading.frameworks import Consumption
from dlint.model.samplers.default_samplers import default_sampler

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.epochs import EpochLoop
    from dlint.model.samplers.distributed_samplers import Sampler
    from dlint.model.samplers.epoch_setters import EpochSetter


class Fault(StrEnum):
    """Why a call of `set_epoch` does not give every epoch an order of its own."""

    CONSTANT = "the number never changes"
    ONCE = "it runs before the epochs, and in none of them"
    DURING = "the batches of the epoch are already being drawn"
    AFTER = "the epoch is over, and the next one is set to its number"


class Ineffective(NamedTuple):
    """One call that comes to nothing, or too late, and the epochs that it is meant for."""

    setter: EpochSetter
    fault: Fault
    epoch: EpochLoop


def ineffective(sampler: Sampler) -> list[Ineffective]:
    """The calls on a sampler, if none of them does what it should in every training loop."""
    epochs = [epoch for loader, epoch in sampler.epochs if not _is_framed(loader)]
    if not epochs or sampler.may_be_set_unseen or sampler.is_counted_by_hand:
        return []
    found = []
    for setter in sampler.setters:
        if setter.call.name == "hasattr":
            continue
        faults = [fault(setter, epoch) for epoch in epochs]
        if None in faults:
            return []
        found.append(Ineffective(setter, next(f for f in faults if f is not None), epochs[0]))
    return found


def _is_framed(loader: Loader) -> bool:
    return bool(loader.context[Consumption].of(loader.made))


def fault(setter: EpochSetter, epoch: EpochLoop) -> Fault | None:
    """What is wrong with one call, as seen from one loop over epochs."""
    if setter.argument is None:
        return None
    inside = _is_inside(setter, epoch)
    if inside is None:
        return None
    if not inside:
        return Fault.ONCE
    if ex.constant(setter.argument) is not None:
        return Fault.CONSTANT
    if not epoch.is_counter(setter.context, setter.argument, setter.call.scope):
        return None
    if _is_during(setter, epoch):
        return Fault.DURING
    return Fault.AFTER if _is_behind(setter, epoch) else None


def _is_inside(setter: EpochSetter, epoch: EpochLoop) -> bool | None:
    """Whether each epoch makes the call; None where that is not clear."""
    call = setter.call
    if call.scope is not epoch.scope:
        return True if call.scope in epoch.inside else None
    if is_inside(call.statement, epoch.loop):
        return True
    order = relative_order(call.statement, epoch.loop)
    once = order == {When.BEFORE} and not any(walk.enclosing_loops(call.statement))
    return False if once else None


def _is_during(setter: EpochSetter, epoch: EpochLoop) -> bool:
    batches = epoch.batch_loop
    return (
        isinstance(batches.statement, Loop)
        and not batches.is_single
        and is_inside(setter.call.statement, batches.statement)
    )


def _is_behind(setter: EpochSetter, epoch: EpochLoop) -> bool:
    """Whether an epoch has run its batches before the call, in one and the same body."""
    scope = setter.call.scope
    body = epoch.loop.body if scope is epoch.scope else scope.body
    own = step_of(body, setter.call.statement)
    turns = epoch.turn(setter.context, scope)
    if own is None or not turns or own in turns:
        return False
    order = body.statements
    return all(order.index(turn) < order.index(own) for turn in turns)


class Absent(NamedTuple):
    """`loader.sampler.set_epoch(…)` of a loader whose `sampler` torch made itself."""

    setter: EpochSetter
    receiver: ex.Attribute
    loader: Loader
    is_batched: bool
    """Whether a batch sampler takes the place of the sampler."""

    @property
    def place(self) -> Place:
        """Where `loader.sampler` stands."""
        return Place(self.setter.module.path, *self.receiver.span)

    @property
    def owner(self) -> str | None:
        """By which dotted name the loader goes there."""
        return ex.dotted(self.receiver.value)


def absent(setter: EpochSetter) -> Absent | None:
    """A call on the sampler of loaders that are certainly given none."""
    receiver, context = setter.receiver, setter.context
    if not isinstance(receiver, ex.Attribute):
        return None
    if setter.argument is None or _is_tried(setter.call):
        return None
    if not can_run(context, setter.call):
        return None
    found = default_sampler(context, receiver, setter.call.scope)
    return None if found is None else Absent(setter, receiver, found.loader, found.is_batched)


def _is_tried(call: ex.Call) -> bool:
    """Whether the code asks first what the sampler can do, or catches the error."""
    if is_tried(call.statement):
        return True
    return any(
        isinstance(part, ex.Reference | ex.Attribute)
        and (part.name in ("hasattr", "isinstance", "callable") or "sampler" in part.name.lower())
        for test, _ in tests_of_call(call)
        for part in walk.walk(test)
    )
