"""Training on XLA devices: which loops and frameworks take gradient steps there.

Question: what shows that a loader's batches are trained on by XLA? Followed: wrappers of torch_xla
that are given the loader, copies in the loop to a device that torch_xla names, calls that end a
step of XLA, processes that torch_xla starts, and Lightning's objects that are told to use a TPU.
Given up on: devices that a library chooses by itself (Accelerate, Ignite, the Hugging Face
Trainer).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.call_paths import calls_below, leading_to
from dlint.library_facts import launchers as known
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.ranks.launchers import Launchers
from dlint.semantics.values.values import AllocationSite, Literal, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.transfers.transfers import Transfer

_ACCELERATE = "Accelerate"


class XlaWrappers:
    """The calls that wrap loaders for an XLA device."""

    def __init__(self, context: AnalysisContext) -> None:
        self._calls: dict[AllocationSite, list[ex.Call]] = {}
        for call in calls_to(context, *known.XLA_LOADERS):
            for made in context[LoadersGiven].to(call):
                self._calls.setdefault(made, []).append(call)

    def of(self, loader: Loader) -> list[ex.Call]:
        """The calls that wrap one loader."""
        return self._calls.get(loader.made, [])


def keeps_to_full_batches(loader: Loader) -> bool:
    """Whether something behind the loader may leave out, or fill up, a batch that is not full."""
    context = loader.context
    if any(by.name == _ACCELERATE for by, _ in context[Consumption].of(loader.made)):
        return True
    bounds = (bind(context, call) for call in context[XlaWrappers].of(loader))
    return any(
        not (a.is_absent or a.is_false)
        for bound in bounds
        for a in bound.alternatives(known.XLA_FULL)
    )


def trained_by(loader: Loader) -> Iterator[ex.Call]:
    """The Trainers and Fabrics that are told to use XLA devices, and train on a loader."""
    for launcher in loader.context[Launchers].of(loader):
        if launcher.is_on_xla:
            yield launcher.call


def sign_of(loader: Loader, loop: BatchLoop) -> ex.Call | None:
    """The call that shows that a loop over a loader runs on XLA; None where none is seen."""
    context = loader.context
    if loop.body is None:
        return None
    wrapping = context[XlaWrappers].of(loader)
    if wrapping:
        return wrapping[0]
    below = list(calls_below(context, calls_in(loop.body)))
    copies = {transfer.call for transfer in loader.transfers if _goes_to_xla(context, transfer)}
    for call in below:
        if call in copies or is_call_to(context, call, known.XLA_MARKS):
            return call
    leading = leading_to(context, loop.scope)
    return next((call for call in leading if is_call_to(context, call, known.XLA_SPAWN)), None)


def _goes_to_xla(context: AnalysisContext, transfer: Transfer) -> bool:
    """Whether a copy goes to a device of torch_xla on some path."""
    device = transfer.device
    return device is not None and any(
        _is_xla(value) for value in context.values(device, transfer.call.scope)
    )


def _is_xla(value: Value) -> bool:
    if isinstance(value, Literal):
        return isinstance(value.value, str) and value.value.partition(":")[0] == "xla"
    return library_path(value) in known.XLA_DEVICES
