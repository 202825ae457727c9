"""Where models lie: on which devices the weights of a model may be.

Question: which device does `next(model.parameters()).device` name? Followed: the calls in loaded
modules that move an object of the model's class, or what wraps it
(`DistributedDataParallel(model).cuda()`); objects of a class are not told apart. Given up on:
submodules that are moved by themselves, models that a library makes, or moves (a trainer's `fit`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.distributed import MODEL_WRAPPERS
from dlint.model.transfers.devices import Device, devices
from dlint.semantics.values.values import (
    Instance,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext

_WEIGHTS = frozenset({"parameters", "buffers"})
_ONE_OF = frozenset({"next", "list", "iter", "tuple"})


def devices_of_model(
    context: AnalysisContext, device: ex.Expression, scope: Scope
) -> frozenset[Device]:
    """The devices of the weights whose device an expression reads; empty where it reads none, or
    where it is not known to what device the model was moved.
    """
    model = _model_read(device)
    if model is None:
        return frozenset()
    moves = context[_Moves]
    values = context.values(model, scope)
    found = (moves.of(value.cls) for value in values if isinstance(value, Instance))
    return frozenset().union(*found) - {Device.OTHER}


def _model_read(device: ex.Expression) -> ex.Expression | None:
    """The model of `next(model.parameters()).device`."""
    read = origin_of(device)
    part = read.value if isinstance(read, ex.Attribute) and read.name == "device" else None
    while part is not None:
        origin = origin_of(part)
        if isinstance(origin, ex.Call) and origin.name in _WEIGHTS:
            return origin.function.value if isinstance(origin.function, ex.Attribute) else None
        part = _taken_from(origin)
    return None


def _taken_from(part: ex.Expression) -> ex.Expression | None:
    """What one item is taken from."""
    if isinstance(part, ex.Subscript):
        return part.value
    if isinstance(part, ex.Call) and part.name in _ONE_OF:
        return written(part, 0)
    return None


class _Moves:
    """The devices to which a program moves the objects of its classes."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._devices: dict[Class, set[Device]] = {}
        for call in calls_anywhere(context, "to", "cuda"):
            models = dict.fromkeys(self._models(call))
            to = self._to(call) if models else ()
            for model in models:
                self._devices.setdefault(model, set()).update(to)

    def of(self, cls: Class) -> set[Device]:
        """Where objects of a class may have been moved."""
        return self._devices.get(cls, set())

    def _to(self, call: ex.Call) -> frozenset[Device]:
        if call.name == "cuda":
            return frozenset({Device.CUDA})
        device = written(call, 0, "device")
        return frozenset() if device is None else devices(self._context, device, call.scope)

    def _models(self, move: ex.Call) -> Iterator[Class]:
        """The classes of what a call moves, with their ancestors; those within wrappers too."""
        if isinstance(move.function, ex.Attribute):
            solver = self._context.solver
            for value in self._context.values(move.function.value, move.scope):
                inner = _wrapped(value)
                held = solver.values(*inner) if inner is not None else (value,)
                for model in held:
                    if isinstance(model, Instance):
                        yield from solver.classes.ancestors(model.cls)


def _wrapped(value: Value) -> tuple[ex.Expression, CallContext] | None:
    """The model that a wrapper is given, and where it is evaluated."""
    if not is_of_library(value):
        return None
    module = written(value.call, 0, "module") if library_path(value) in MODEL_WRAPPERS else None
    return None if module is None else (module, value.frame)
