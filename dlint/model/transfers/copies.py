"""Copies that may run asynchronously: when `non_blocking=True` is right, and how to write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of
from dlint.findings.operations import Operation, SetArgument
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.ir.remembering import remembered
from dlint.library_facts import tensors
from dlint.library_facts.hugging_face import ENCODING_TAKES_FLAG
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.machines.hardware import (
    captures_graphs,
    may_use_mps,
    may_use_mps_beside,
    mentions_mps,
)
from dlint.model.samples import batch_parts, samples
from dlint.model.transfers.devices import Device
from dlint.model.transfers.renewed_batches import renewed_loaders
from dlint.model.transfers.transfers import Transfer
from dlint.model.versions.admitted import Versions
from dlint.model.versions.version_facts import exists
from dlint.semantics.calls.binding import signature_of
from dlint.semantics.values.values import UNKNOWN, Batch

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.values import AllocationSite

_POSITIONS = {"cuda": 1, "copy_": 1, "type": 1}
_KINDS = ("cuda", "mps", "cpu", "xpu", "npu")


def operation(transfer: Transfer) -> Operation:
    """Add `non_blocking` to a copy."""
    call = transfer.call
    name = call.name or ""
    place = transfer.context.place_of(call)
    return SetArgument(place, "non_blocking", flag(transfer), _POSITIONS.get(name))


def flag(transfer: Transfer) -> str:
    """What `non_blocking` is to be: `True`, or a test for CUDA where the device may be MPS."""
    return _test_for_cuda(transfer) or "True"


def may_be_sound(transfer: Transfer) -> bool:
    """Whether `non_blocking` may be sound: what is copied takes it, and the device is no MPS.

    Where it is MPS on one path and CUDA on another, a test must be able to tell them apart.
    """
    is_named = Device.MPS in transfer.devices and Device.ANY not in transfer.devices
    if is_named and _test_for_cuda(transfer) is None:
        return False
    return not _may_be_old_encoding(transfer) and not _may_lack_flag(transfer)


def _may_lack_flag(transfer: Transfer) -> bool:
    """Whether a whole batch may be an object of the project whose own method takes no flag."""
    if not _is_batch(transfer):
        return False
    context, name = transfer.context, transfer.call.name or ""
    loaders = (context[Loaders].of(batch.loader) for batch in transfer.batches)
    classes = (cls for loader in loaders for cls in samples.batch_classes(loader))
    methods = (context.solver.classes.method(cls, name) for cls in classes)
    return any(method is not None and not _takes_flag(method) for method in methods)


def _takes_flag(method: Scope) -> bool:
    signature = signature_of(method, has_receiver=True)
    return signature.takes_keyword("non_blocking") or signature.variadic("**") is not None


def _test_for_cuda(transfer: Transfer) -> str | None:
    """The test by which a copy without a flag waits on MPS alone; None where it needs none."""
    if not {Device.MPS, Device.CUDA} <= set(transfer.devices) or not transfer.is_to:
        return None
    return is_cuda(transfer) if transfer.non_blocking is None else None


def _may_be_old_encoding(transfer: Transfer) -> bool:
    """Whether a whole batch may be a `BatchEncoding` of a transformers whose `to` has no flag."""
    newest = transfer.context[Versions].transformers(transfer.call.scope.module.path).newest
    if newest is None or newest >= ENCODING_TAKES_FLAG or not _is_batch(transfer):
        return False
    loaders = (transfer.context[Loaders].of(batch.loader) for batch in transfer.batches)
    return any(samples.collate_functions(loader) != [] for loader in loaders)


def _is_batch(transfer: Transfer) -> bool:
    """Whether a batch is copied as the loader gives it, in a loop or by `next`."""
    made = origin_of(transfer.source)
    return batch_parts.is_whole(transfer) or (isinstance(made, ex.Call) and made.name == "next")


def helped_by_pinning(loader: Loader) -> list[Transfer]:
    """Copies to CUDA that pinning would help: the loader's own tensors, not new ones."""
    return [
        t
        for t in loader.transfers
        if t.may_reach_cuda
        and _copies_own(t, loader.made)
        and not t.goes_to_cpu(loader)
        and not batch_parts.copies_once(t)
        and not (batch_parts.is_whole(t) and samples.is_opaque(loader))
    ]


def _copies_own(transfer: Transfer, made: AllocationSite) -> bool:
    """Whether a batch is copied as it came, or as a conversion leaves it that changes nothing."""
    if transfer.is_scattered or made not in {batch.loader for batch in transfer.batches}:
        return False
    return transfer.copies_pinned(made) or made not in renewed_loaders(transfer)


def copies_what_host_made(loader: Loader) -> bool:
    """Whether a loop over it copies what a callable that nobody knows made of a batch before.

    `transform(batch["image"]).to(device)`: pinning the batch helps no copy of that.
    """
    return any(
        call.name in tensors.COPIES and _is_made_of(loader, call)
        for loop in loader.loops
        if loop.body is not None
        for call in calls_in(loop.body)
    )


def _is_made_of(loader: Loader, copy: ex.Call) -> bool:
    made = _origin(copy.function.value) if isinstance(copy.function, ex.Attribute) else None
    if not isinstance(made, ex.Call) or loader.context.values(made, made.scope) != {UNKNOWN}:
        return False
    taken = (part for argument in made.arguments for part in walk.walk(argument.value))
    host = {Batch(loader.made), Batch(loader.made, fresh=True)}
    return any(host & loader.context.values(part, made.scope) for part in taken)


def _origin(expression: ex.Expression) -> ex.Expression:
    """What a name was bound to, also as one of several: `x, y = f(batch), batch["y"]`."""
    return ex.unpacked(origin_of(expression))


def waits_for_another(transfer: Transfer) -> bool:
    """Whether the same function also copies what it has rebuilt of the batch on the CPU.

    That copy is from pageable memory again, so the host waits at each step anyway.
    """
    own = {batch.loader for batch in transfer.batches}
    return any(
        other.call.scope is transfer.call.scope
        and other.may_reach_cuda
        and not own.isdisjoint(renewed_loaders(other))
        for other in transfer.context[Loaders].transfers
    )


def may_be_mps(transfer: Transfer) -> bool:
    """Whether the device may be MPS for all that its program says, or is whichever there is."""
    if Device.ANY in transfer.devices or Device.MPS in transfer.devices:
        return True
    context, path = transfer.context, transfer.place.path
    if mentions_mps(context, path) or may_use_mps_beside(context, path):
        return True
    return Device.OTHER in transfer.devices and may_use_mps(context, path)


def may_be_asynchronous(transfer: Transfer) -> bool:
    """Whether `non_blocking=True` can be advised: it exists, and the device is not MPS."""
    context, path = transfer.context, transfer.call.scope.module.path
    if Device.MPS in transfer.devices or not may_be_sound(transfer):
        return False
    if may_use_mps(context, path) or may_use_mps_beside(context, path):
        return False
    return exists(context, "non-blocking", path)


def is_safe(transfer: Transfer) -> bool:
    """Whether an asynchronous copy certainly computes the same.

    The device is CUDA (or the CPU), what is copied is a tensor of the default collate function, and
    nobody writes into it afterwards.
    """
    context = transfer.context
    if not may_be_asynchronous(transfer) or captures_graphs(context, transfer.place.path):
        return False
    loaders = (context[Loaders].of(batch.loader) for batch in transfer.batches)
    return all(samples.collate_functions(loader) == [] for loader in loaders) and not _written(
        transfer
    )


def _written(transfer: Transfer) -> bool:
    """Whether the host tensor is written to, by index or in place, in the same function."""
    source = transfer.source
    if not isinstance(source, ex.Reference):
        return False
    return source.definition in _written_in(transfer.call.scope)


@remembered(1024)
def _written_in(scope: Scope) -> frozenset[ex.Definition | None]:
    """What a function writes to, by index or in place."""
    targets = [s.target.value for s in scope.stores if isinstance(s.target, ex.Subscript)]
    targets += [
        call.function.value
        for call in scope.calls
        if isinstance(call.function, ex.Attribute) and _is_in_place(call.function.name)
    ]
    return frozenset(t.definition for t in targets if isinstance(t, ex.Reference))


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def paired_operations(copies: list[Transfer]) -> tuple[Operation, ...]:
    """What makes blocking copies asynchronous, for those where that is safe."""
    return tuple(operation(t) for t in copies if t.non_blocking is None and is_safe(t))


def depends_on_device(transfer: Transfer) -> bool:
    """Whether a test around the copy asks for the device: `if device.type == "cuda"`."""
    return any(
        _names_device(part)
        for test, _ in walk.tests(transfer.call.statement)
        for part in walk.walk(test)
    )


def _names_device(part: ex.Expression) -> bool:
    if isinstance(part, ex.Constant):
        return isinstance(part.value, str) and part.value.partition(":")[0] in _KINDS
    if not isinstance(part, ex.Reference | ex.Attribute):
        return False
    return any(kind in part.name.lower() for kind in ("cuda", "mps", "gpu"))


def is_cuda(transfer: Transfer) -> str | None:
    """Source text that tells whether the device of a copy is CUDA; None where it has no name."""
    name = ex.dotted(transfer.device)
    if name is None:
        return None
    if _is_device_object(transfer.device):
        return f'{name}.type == "cuda"'
    return f'"cuda" in str({name})'


def _is_device_object(device: ex.Expression | None) -> bool:
    """Whether a device is a `torch.device` on every path, not a string."""
    match device:
        case ex.Reference() if device.definition is not None:
            return _is_device_object(device.definition.value)
        case ex.Conditional():
            return _is_device_object(device.then) and _is_device_object(device.otherwise)
        case ex.Call():
            return device.name == "device"
    return False
