"""Worker code that puts tensors on CUDA, and data sets that keep tensors there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses import guards
from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import Targets
from dlint.analyses.object_state.file_data import Guard
from dlint.analyses.object_state.origins import Origins, Question
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import tensors
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.data.given_datasets import given_datasets, parts_of
from dlint.model.data.handles import read_at
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.devices import Device, of_value
from dlint.model.transfers.encoders import encodes_on_cuda, gives_tensors
from dlint.model.transfers.model_devices import are_weights_on_cuda, runs_on_cuda
from dlint.model.workers import given_tensors
from dlint.model.workers.held_objects import held_objects
from dlint.model.workers.worker_code import WorkerCode
from dlint.model.workers.worker_counts import WorkingLoader
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.names.dtypes import is_dtype
from dlint.semantics.values.conditional_value import Absent
from dlint.semantics.values.values import (
    External,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.writes import Write
    from dlint.ir.module import Class, Scope
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry

_MOVES = frozenset({"cuda", "to"})
_LEAVING = frozenset(
    {"cpu", "numpy", "tolist", "item", "size", "dim", "numel", "nelement", "stride"}
    | {"element_size", "ndimension", "type", "type_as"}
)
"""Methods whose result lies in the memory of the host, or where their argument says."""
_COMPUTING = frozenset({"normalize", "softmax", "log_softmax", "relu", "sigmoid", "tanh"})
"""Functions of torch that give a tensor for one, on the same device."""
_TENSORS = frozenset(
    {
        *("data", "T", "mT", "logits", "last_hidden_state", "pooler_output"),
        *("text_embeds", "image_embeds", "hidden_states"),
    }
)
"""Attributes of tensors, and of what models of transformers give, that are tensors."""
_PINNING = "pin_memory"
"""The method of tensors that asks CUDA for memory."""
_SWITCH = lazily(r"cuda|gpu|device|pin|worker", re.I)
"""Words of tests that may decide whether code of workers uses a device."""


class DeviceCall(NamedTuple):
    """A call in worker code that needs CUDA, and the entry that leads to it."""

    call: ex.Call
    entry: Entry

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return self.entry.context.place_of(self.call)

    @property
    def function(self) -> Place:
        """The function that makes the call."""
        return _function(self.call)

    @property
    def is_pinning(self) -> bool:
        """Whether it asks CUDA for pinned memory, and puts nothing on the device."""
        return self.call.name == _PINNING


def device_calls(context: AnalysisContext) -> Iterator[DeviceCall]:
    """Calls by which worker code puts a tensor on CUDA, where that is proven."""
    for entry in context[WorkerCode].entries:
        if entry.working is not None:
            for call, frame in entry.calls():
                if _asks_for_cuda(context, entry.targets, call, frame):
                    yield DeviceCall(call, entry)


def _asks_for_cuda(
    context: AnalysisContext, targets: Targets, call: ex.Call, frame: CallContext
) -> bool:
    """Whether a call copies to CUDA, asks it for memory, or runs a text encoder there."""
    if call.name == _PINNING:
        return _pins(context, targets, call, frame)
    if _needs_cuda(context, targets, call, frame):
        return True
    return encodes_on_cuda(context, call, frame) and not is_switched(context, call, frame)


def _function(call: ex.Call) -> Place:
    return Place(call.scope.module.path, *call.scope.span)


class GivenOnCuda(NamedTuple):
    """A copy to CUDA of a tensor that a loader's `TensorDataset` is made of."""

    place: Place
    function: Place
    """The function that makes the copy."""
    loader: Loader


def given_on_cuda(context: AnalysisContext) -> Iterator[GivenOnCuda]:
    """Copies to CUDA of the tensors that a `TensorDataset` is made of, whose loader has workers."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            if loader.workers_present is not None and loader.is_made:
                for dataset in given_datasets(loader):
                    for call in copied_tensors(context, dataset):
                        yield GivenOnCuda(context.place_of(call), _function(call), loader)


def samples_on_cuda(loader: Loader) -> ex.Call | None:
    """The copy by which every sample is on CUDA already wherever there is one; None if not."""
    context = loader.context
    found: list[ex.Call] = []
    for dataset in loader.values("dataset"):
        wrapped = parts_of(context, dataset)
        copies = [c for value in wrapped for c in copied_tensors(context, value)]
        cls = attributes.project_class(dataset)
        if cls is not None:
            copies += _returned_on_cuda(context, cls)
        if not copies:
            return None
        found += copies
    return next(iter(found), None)


def _returned_on_cuda(context: AnalysisContext, cls: Class) -> Iterator[ex.Call]:
    """Copies to CUDA of what `__getitem__` returns, itself or of what the constructor keeps."""
    method = context.solver.classes.method(cls, "__getitem__")
    if method is None or any(call.name in _LEAVING for call in method.calls):
        return
    state = context[ObjectStates].of(cls)
    frame = context.solver.root(method)
    returned = [part for result in method.returns for part in parts_in_function(result)]
    for part in returned:
        if isinstance(part, ex.Call) and _needs_cuda(context, state.targets, part, frame):
            yield part
    kept = {part.name for part in returned if isinstance(part, ex.Attribute)}
    for write in state.writes:
        if write.attribute in kept and not write.of_class:
            for origin in state.origins(write, _ON_DEVICE):
                if _needs_cuda(context, state.targets, origin.call, origin.frame):
                    yield origin.call


def copied_tensors(context: AnalysisContext, dataset: Value) -> Iterator[ex.Call]:
    if not is_of_library(dataset):
        return
    passed = context.solver.passed.get(dataset)
    if passed is None or library_path(dataset) not in TENSOR_DATASETS:
        return
    targets = Targets(context, None)
    origins = Origins(targets, lambda _: ())
    for argument, frame in passed.arguments:
        for origin in origins.of(argument.value, frame, _ON_DEVICE):
            if _needs_cuda(context, targets, origin.call, origin.frame):
                yield origin.call


class KeptOnCuda(NamedTuple):
    """A copy to CUDA that an attribute of a data set keeps; `place` is in its methods.

    `read`: where workers read the attribute; None where they only hold it. `taker`: the loader
    that takes the object, where the copy is made outside, and its constructor is given it.
    """

    attribute: str
    function: Place
    """The function that makes the copy."""
    place: Place
    read: Place | None
    taker: WorkingLoader | None = None


def kept_on_cuda(dataset: DatasetClass) -> Iterator[KeptOnCuda]:
    """Copies to CUDA that a constructor keeps, by attribute, and that workers read or hold; of
    those that it is given, what they use as a tensor.
    """
    entries = tuple(dataset.context[WorkerCode].of_class(dataset.cls))
    yield from _kept_by(dataset, entries)
    for loader in dataset.own_loaders if entries else ():
        count = loader.workers_present
        if count is not None and loader.is_made:
            yield from _given_to(dataset, WorkingLoader(loader, count), entries)


def _given_to(
    dataset: DatasetClass, taker: WorkingLoader, entries: tuple[Entry, ...]
) -> Iterator[KeptOnCuda]:
    """The copies that the constructor of a loader's own data set is given."""
    context, state = dataset.context, dataset.state
    for making in context[DatasetOrigins].constructions(taker.loader, dataset.cls):
        for write in state.stores:
            read = given_tensors.used(entries, write.attribute)
            once = given_tensors.is_written_once(context, dataset.cls, write.attribute)
            if read is None or not once:
                continue
            for origin in state.given_origins(write, given_tensors.WHOLE, making):
                if not _needs_cuda(context, state.targets, origin.call, origin.frame):
                    continue
                device = _device(origin.call)
                if given_tensors.is_certain(context, taker.loader, making, origin, device):
                    place = context.place_of(origin.call)
                    yield KeptOnCuda(write.attribute, _function(origin.call), place, read, taker)


def held_on_cuda(dataset: DatasetClass) -> Iterator[tuple[Class, KeptOnCuda]]:
    """The same of objects that a data set is given and keeps, where workers read the copy."""
    for held in held_objects(dataset):
        for kept in _kept_by(dataset.with_class(held.cls), held.entries):
            if kept.read is not None:
                yield held.cls, kept


def _kept_by(dataset: DatasetClass, entries: tuple[Entry, ...]) -> Iterator[KeptOnCuda]:
    context, state = dataset.context, dataset.state
    for write in state.writes if entries else ():
        if write.of_class:
            continue
        read = _read(entries, write)
        for origin in state.origins(write, _ON_DEVICE):
            place = state.place_in_method(origin.call.span, origin.frame)
            needs = _needs_cuda(context, state.targets, origin.call, origin.frame)
            if place is not None and needs:
                yield KeptOnCuda(write.attribute, _function(origin.call), place, read)


def _read(entries: tuple[Entry, ...], write: Write) -> Place | None:
    """Where workers read an attribute first."""
    return next(filter(None, (read_at(entry, write.attribute) for entry in entries)), None)


def _same_device(call: ex.Call) -> Iterable[ex.Expression]:
    """What lies where the result of a call lies, unless the call itself says where."""
    if call.name == "to" or call.name in _LEAVING:
        return ()
    of = [call.function.value] if isinstance(call.function, ex.Attribute) else []
    if call.name in tensors.JOINING | _COMPUTING:
        of = [*(argument.value for argument in call.arguments), *of]
    elif call.name not in tensors.NOT_OF_ARRAYS:
        return of
    return [*of, *(file for part in of if (file := _file_of(part)) is not None)]


def _file_of(tensor: ex.Expression) -> ex.Expression | None:
    """The call by which a tensor is loaded with others: all of them lie on one device."""
    made = ex.unnamed(tensor)
    file = ex.unnamed(made.value) if isinstance(made, ex.Subscript) else None
    if not isinstance(file, ex.Call) or file.name != "load" or file.scope is None:
        return None
    return None if _is_refilled(file, file.scope) else file


def _is_refilled(file: ex.Call, scope: Scope) -> bool:
    """Whether code of a function may put other tensors into what it has loaded."""
    changed = [s.target.value for s in scope.stores if isinstance(s.target, ex.Subscript)]
    functions = (call.function for call in scope.calls)
    changed += [f.value for f in functions if isinstance(f, ex.Attribute) and f.name == "update"]
    return file in map(ex.unnamed, changed)


_ON_DEVICE = Question(_same_device, elements=True, choices=False, rows=True, fields=_TENSORS)


def _needs_cuda(
    context: AnalysisContext, targets: Targets, call: ex.Call, frame: CallContext
) -> bool:
    """Whether a call gives what lies on CUDA, as far as it runs in every program."""
    device = _device(call)
    if runs_on_cuda(context, call):
        return not is_switched(context, call, frame)
    if encodes_on_cuda(context, call, frame):
        tensors_there = gives_tensors(context, call, frame)
        return tensors_there and not is_switched(context, call, frame)
    if device is None and call.name != "cuda":
        return False
    found = targets.of(call.function, frame)
    if not all(isinstance(target, External) for target in found):
        return False
    if call.name == "load" and External("torch.load") not in found:
        return False
    if device is not None and not _is_cuda(context, device, frame):
        return False
    return not is_switched(context, call, frame)


def _pins(context: AnalysisContext, targets: Targets, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call is the method of tensors by which memory is pinned."""
    found = targets.of(call.function, frame)
    is_method = isinstance(call.function, ex.Attribute) and not call.arguments
    if not is_method or not all(isinstance(target, External) for target in found):
        return False
    if callees_of(context, call):
        return False
    return not is_switched(context, call, frame)


def _device(call: ex.Call) -> ex.Expression | None:
    """The device argument of a copy, or of a call of torch that makes a tensor."""
    name = "map_location" if call.name == "load" else "device"
    keyword = written(call, None, name)
    is_method = isinstance(call.function, ex.Attribute)
    known = tensors.CREATORS | {"load"} | (_MOVES if is_method else frozenset())
    if call.name not in known:
        return None
    if keyword is not None or call.name != "to":
        return keyword
    first = written(call, 0)
    return None if first is None or is_dtype(first) else first


def _is_cuda(context: AnalysisContext, device: ex.Expression, frame: CallContext) -> bool:
    """Whether a device is CUDA wherever there is one, and nothing of it is unknown."""
    if are_weights_on_cuda(context, device, frame.scope):
        return True
    named = device
    while isinstance(named, ex.Reference) and named.definition is not None:
        named = named.definition.value
    if isinstance(named, ex.Attribute) and named.name == "device":
        owners = context.solver.values(named.value, frame)
        if not owners or any(attributes.project_class(owner) is None for owner in owners):
            return False
    if _is_cuda_alone(context.solver.values(device, frame)):
        return True
    # what is handed on by `**` is told apart by path alone
    return _is_cuda_alone(a.value for a in context.evaluator.of(device, frame))


def _is_cuda_alone(values: Iterable[Value | Absent]) -> bool:
    """Whether all values that a device may have name CUDA, or the CPU where there is none."""
    found = {Device.OTHER if isinstance(v, Absent) else of_value(v) for v in values}
    return Device.CUDA in found and not found & {Device.OTHER, Device.MPS}


def is_switched(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """Whether a test of a device or of a worker keeps it from running, for all that is known.

    So does any other test on the way that fails, or a flag of which nobody knows that it is set.
    """
    tests = dict.fromkeys(guards.around(frame, call.span))
    return any(_closes(context, guard) for guard in tests)


def _closes(context: AnalysisContext, guard: Guard) -> bool:
    parts = [p for p in walk.walk(guard.test) if isinstance(p, ex.Reference | ex.Attribute)]
    if any(part.own_name == "is_available" for part in parts):
        return False
    if any(_SWITCH.search(part.own_name) for part in parts):
        return True
    outcomes = {a.truth for a in context.evaluator.of(guard.test, guard.frame)}
    is_unknown = guards.is_flag(guard.test) and guard.truth not in outcomes
    return outcomes == {not guard.truth} or is_unknown
