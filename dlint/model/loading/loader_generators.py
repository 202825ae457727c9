"""The device of the generator that a loader draws its seeds and indices with.

Question: does a loader draw on another device than its generator is of? Followed: generators of
torch that are made with a device, and the default device of the program. Given up on: generators
that other code makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.model.transfers import devices
from dlint.model.transfers.devices import Device
from dlint.semantics.values.values import (
    NONE,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_GENERATORS = ("torch.Generator", "torch._C.Generator")


def gpu_generator(loader: Loader) -> Place | None:
    """Where a generator of a GPU is made for the loader; None where it may be another one."""
    context = loader.context
    for value in loader.values("generator"):
        if not is_of_library(value):
            return None
        given = written(value.call, 0, "device")
        if library_path(value) not in _GENERATORS or given is None:
            return None
        found = devices.devices(context, given, value.call.scope)
        if Device.CUDA in found and not devices.may_change_default(context):
            return context.place_of(value.call)
    return None


def shuffled_by_cpu(loader: Loader) -> Place | None:
    """Where a GPU becomes the default device of a loader that shuffles with a CPU generator."""
    if not any(a.truth is True and a.assumed is None for a in loader.argument("shuffle")):
        return None
    if loader.gives("sampler") or loader.gives("batch_sampler"):
        return None
    given = loader.values("generator") - {NONE}
    if loader.gives("generator") and not (
        given and all(_is_of_cpu(loader, value) for value in given)
    ):
        return None
    call = devices.gpu_by_default(loader.context, loader.call)
    return None if call is None else loader.context.place_of(call)


def _is_of_cpu(loader: Loader, value: object) -> bool:
    """Whether a generator is one of the CPU: torch makes no other, whatever the default device."""
    if not is_of_library(value) or library_path(value) not in _GENERATORS:
        return False
    given = written(value.call, 0, "device")
    if given is None:
        return not value.call.arguments
    return devices.devices(loader.context, given, value.call.scope) == {Device.CPU}
