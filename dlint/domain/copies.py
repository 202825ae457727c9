"""Copies that may run asynchronously: when `non_blocking=True` is right, and how to write it."""

from __future__ import annotations

from dlint.domain import samples
from dlint.domain.devices import Device
from dlint.domain.transfers import Transfer
from dlint.fixes.operations import Operation, SetArgument
from dlint.index import expressions as ex

_POSITIONS = {"cuda": 1, "copy_": 1, "type": 1}


def operation(transfer: Transfer) -> Operation:
    """Add `non_blocking=True` to a copy."""
    call = transfer.call
    name = call.name or ""
    return SetArgument(
        transfer.program.place_of(call), "non_blocking", "True", _POSITIONS.get(name)
    )


def is_safe(transfer: Transfer) -> bool:
    """Whether an asynchronous copy certainly computes the same.

    The device is CUDA (or the CPU), what is copied is a tensor of the default collate function, and
    nobody writes into it afterwards.
    """
    program = transfer.program
    if Device.MPS in transfer.devices or program.may_use_mps:
        return False
    if program.captures_graphs(transfer.call.scope.module):
        return False
    loaders = (program.loaders.of(batch.loader) for batch in transfer.batches)
    return all(samples.collate_functions(loader) == [] for loader in loaders) and not _written(
        transfer
    )


def _written(transfer: Transfer) -> bool:
    """Whether the source is written to by index in the same function."""
    callee = transfer.call.function
    source = callee.value if isinstance(callee, ex.Attribute) else None
    if not isinstance(source, ex.Reference):
        return False
    return any(
        isinstance(store.target, ex.Subscript)
        and isinstance(store.target.value, ex.Reference)
        and store.target.value.definition is source.definition
        for store in transfer.call.scope.stores
    )


def paired_operations(copies: list[Transfer]) -> tuple[Operation, ...]:
    """What makes blocking copies asynchronous, for those where that is safe."""
    return tuple(operation(t) for t in copies if t.non_blocking is None and is_safe(t))
