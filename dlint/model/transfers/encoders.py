"""Text encoders that compute on CUDA: calls of their methods, and the tensors that these give.

Question: does `model.encode(…)` compute on CUDA wherever there is one? Followed: what the encoder's
constructor and the call are given as a device, and the calls that move it. Given up on: encoders
that may be another object, and those that a program moves to the CPU somewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.encoders import DEVICE, ENCODERS, ENCODING, TO_TENSOR
from dlint.model.transfers.devices import Device, of_value
from dlint.model.transfers.model_devices import behind_chain, moved_to
from dlint.semantics.values.values import (
    NONE,
    TRUE,
    AllocationSite,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_NOWHERE_ELSE = {Device.CUDA, Device.CPU}


def encodes_on_cuda(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call runs a text encoder on CUDA, at least wherever there is one."""
    if call.name not in ENCODING or not isinstance(call.function, ex.Attribute):
        return False
    found = [v for v in context.solver.values(call.function.value, frame) if v != NONE]
    encoders = [_encoder(context, value) for value in found]
    if not encoders or None in encoders:
        return False
    given = written(call, None, "device")
    if given is not None and context.solver.values(given, frame) != {NONE}:
        return _is_cuda(context, given, frame)
    known = [encoder for encoder in encoders if encoder is not None]
    return all(_lies_on_cuda(context, encoder) for encoder in known)


def gives_tensors(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """Whether what such a call gives is left where it was computed."""
    asked = written(call, None, TO_TENSOR)
    return asked is not None and context.solver.values(asked, frame) == {TRUE}


def _encoder(context: AnalysisContext, value: Value) -> AllocationSite | None:
    """The encoder that an object is, or that a method gave back: `SentenceTransformer(…).to(…)`."""
    made = behind_chain(context, value, ENCODERS)
    return made if is_of_library(made) and library_path(made) in ENCODERS else None


def _lies_on_cuda(context: AnalysisContext, made: AllocationSite) -> bool:
    """Whether an encoder lies on CUDA wherever there is one, by its constructor and all moves."""
    device = written(made.call, DEVICE, "device")
    if any(argument.star for argument in made.call.arguments):
        return False
    is_given = device is not None and context.solver.values(device, made.frame) != {NONE}
    if is_given and device is not None and not _is_cuda(context, device, made.frame):
        return False
    moves = moved_to(context, made)
    return not moves or (Device.CUDA in moves and moves <= _NOWHERE_ELSE)


def _is_cuda(context: AnalysisContext, device: ex.Expression, frame: CallContext) -> bool:
    found = {of_value(value) for value in context.solver.values(device, frame)}
    return Device.CUDA in found and not found & {Device.OTHER, Device.MPS}
