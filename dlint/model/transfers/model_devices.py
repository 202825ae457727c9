"""Where models lie: on which devices the weights of a model may be.

Questions: which device does `next(model.parameters()).device` name, or an attribute that keeps it,
and does the model that a call runs lie on an accelerator? Followed: the calls in loaded modules
that move an object of the model's class, or what wraps it
(`DistributedDataParallel(model).cuda()`); objects of a class are not told apart, those that a
library makes are told by where they are made. Given up on: submodules that are moved by themselves,
models that a library moves (a trainer's `fit`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from dlint.analyses.attribute_values import written_values
from dlint.analyses.calls import are_made_once, calls_anywhere
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.module import Class
from dlint.library_facts.distributed import MODEL_WRAPPERS
from dlint.library_facts.tensors import MODULE_CHAINS
from dlint.model.transfers.devices import Device, devices
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Instance,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Model = Class | AllocationSite
"""A class of models, all of whose objects count as one, or a model that a library makes."""

_STEPS = 4
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


def lies_on_accelerator(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call runs a model that was moved to an accelerator: `model(x)`."""
    moves, called = context[_Moves], context.values(call.function, call.scope)
    models = (model for value in called for model in _held_in(context, value))
    return any(Device.CUDA in moves.of(model) for model in models)


def runs_on_cuda(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call runs models that a library made, all moved to CUDA, at least where it is."""
    called = context.values(call.function, call.scope)
    chained = (behind_chain(context, value) for value in called if is_of_library(value))
    made = [value for value in chained if is_of_library(value)]
    return len(made) == len(called) and _lie_on_cuda(context, made)


def are_weights_on_cuda(context: AnalysisContext, device: ex.Expression, scope: Scope) -> bool:
    """Whether an expression reads the device of the weights of the only model that the program
    makes of its class, which it moves to CUDA, at least where it is.

    Also by an attribute to which nothing else is written.
    """
    frame = context.solver.root(scope)
    read = [
        (_model_read(value), where) for value, where in _behind_attribute(context, device, frame)
    ]
    known = [(model, where) for model, where in read if model is not None]
    if len(known) < len(read):
        return False
    values = {value for model, where in known for value in context.solver.values(model, where)}
    classes = [value.cls for value in values if isinstance(value, Instance)]
    if not classes or len(classes) < len(values) or not are_made_once(context, classes):
        return False
    return _lie_on_cuda(context, classes)


def _behind_attribute(
    context: AnalysisContext, device: ex.Expression, frame: CallContext
) -> list[tuple[ex.Expression, CallContext]]:
    """What the project writes to the attribute that an expression reads; else the expression."""
    origin = origin_of(device)
    if not isinstance(origin, ex.Attribute) or _model_read(origin) is not None:
        return [(device, frame)]
    return list(written_values(context, origin, frame)) or [(device, frame)]


def _lie_on_cuda(context: AnalysisContext, models: Sequence[Model]) -> bool:
    """Whether all models, of which there is one, were moved to CUDA, and none to the CPU again."""
    moves = context[_Moves]
    back = (value for call in calls_anywhere(context, "cpu") for value in _receivers(context, call))
    returned = {value.cls if isinstance(value, Instance) else value for value in back}
    return (
        bool(models)
        and returned.isdisjoint(models)
        and all(
            Device.CUDA in (to := moves.of(model)) and to <= {Device.CUDA, Device.CPU}
            for model in models
        )
    )


def behind_chain(
    context: AnalysisContext, value: Value, ends: Collection[str] = frozenset()
) -> Value:
    """The model behind methods that give it back: `Model(…)` of `Model(…).to(…).eval()`.

    Unknown where it may be several; what has a path in `ends` is behind none.
    """
    for _ in range(_STEPS):
        if not is_of_library(value) or library_path(value) in ends:
            break
        callee = value.call.function
        if not isinstance(callee, ex.Attribute) or callee.name not in MODULE_CHAINS:
            break
        found = list(context.solver.values(callee.value, value.frame))
        value = found[0] if len(found) == 1 else UNKNOWN
    return value


def _receivers(context: AnalysisContext, call: ex.Call) -> frozenset[Value]:
    """What a method is called of."""
    callee = call.function
    return (
        context.values(callee.value, call.scope)
        if isinstance(callee, ex.Attribute)
        else frozenset()
    )


def moved_to(context: AnalysisContext, model: Model) -> set[Device]:
    """The devices to which a program moves a model; empty where it does not."""
    return context[_Moves].of(model)


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
    """The devices to which a program moves its models, by their classes or where they are made."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._devices: dict[Model, set[Device]] = {}
        for call in calls_anywhere(context, "to", "cuda"):
            models = dict.fromkeys(self._models(call))
            to = self._to(call) if models else ()
            for model in models:
                self._devices.setdefault(model, set()).update(to)

    def of(self, model: Model) -> set[Device]:
        """Where a model may have been moved, or those of a class."""
        return self._devices.get(model, set())

    def _to(self, call: ex.Call) -> frozenset[Device]:
        if call.name == "cuda":
            return frozenset({Device.CUDA})
        device = written(call, 0, "device")
        return frozenset() if device is None else devices(self._context, device, call.scope)

    def _models(self, move: ex.Call) -> Iterator[Model]:
        """What a call moves, and returns: of classes of the project their ancestors, too."""
        if isinstance(move.function, ex.Attribute):
            classes = self._context.solver.classes
            moved = (self._context.values(e, move.scope) for e in (move.function.value, move))
            for model in (m for v in chain(*moved) for m in _held_in(self._context, v)):
                yield from classes.ancestors(model) if isinstance(model, Class) else (model,)


def _held_in(context: AnalysisContext, value: Value) -> Iterator[Model]:
    """The model that an object is, or wraps: its class, or what a library made."""
    inner = _wrapped(value)
    for held in context.solver.values(*inner) if inner is not None else (value,):
        if isinstance(held, Instance):
            yield held.cls
        elif is_of_library(held):
            yield held


def _wrapped(value: Value) -> tuple[ex.Expression, CallContext] | None:
    """The model that a wrapper is given, and where it is evaluated."""
    if not is_of_library(value):
        return None
    module = written(value.call, 0, "module") if library_path(value) in MODEL_WRAPPERS else None
    return None if module is None else (module, value.frame)
