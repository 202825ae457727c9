"""deprecated-pin-memory-device: a device for pinning that torch no longer reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.loading.loaders import Loaders
from dlint.model.versions.admitted import Versions

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.versions.version_specifiers import Admitted

_NAME = "pin_memory_device"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given a `pin_memory_device` that is not empty."""
    for group in context[Loaders].told():
        loader = next((x for x in group if _names_device(x)), None)
        if loader is None:
            continue
        admitted = context[Versions].torch(loader.place.path)
        found = _judged(loader, admitted)
        if found is not None:
            severity, message = found
            at = loader.argument_place(_NAME)
            yield Finding(severity, message, loader.place, (), _fix(group, admitted), at)


def _names_device(loader: Loader) -> bool:
    return loader.is_made and any(a.truth is True for a in loader.argument(_NAME))


def _judged(loader: Loader, admitted: Admitted) -> tuple[Severity, str] | None:
    """What the argument does in the versions of torch that the project admits."""
    if admitted.ever("pin-memory-device-is-ignored"):
        return Severity.WARNING, (
            "`pin_memory_device` is ignored since torch 2.9, which pins for the current "
            "accelerator and warns of the argument; leave it out, and choose the device with "
            "`torch.accelerator.set_device_index`"
        )
    if not admitted.ever("pin-memory-device"):
        return Severity.ERROR, (
            "DataLoader raises TypeError: `pin_memory_device` came with torch 1.12, and this "
            "project stays below that; leave it out"
        )
    if loader.is_unpinned:
        return Severity.WARNING, (
            "`pin_memory_device` does nothing without `pin_memory=True`; set that too, or leave "
            "the device out"
        )
    return None


def _fix(group: list[Loader], admitted: Admitted) -> Fix | None:
    """Take the argument out, where the call itself gives it."""
    first = group[0]
    if not first.is_spelled_out or first.written(_NAME) is None:
        return None
    unread = not admitted.ever("pin-memory-device") or admitted.always(
        "pin-memory-device-is-ignored"
    )
    safe = unread or all(x.is_unpinned for x in group)
    return Fix(
        Applicability.SAFE if safe else Applicability.UNSAFE,
        "Leave out `pin_memory_device`",
        (RemoveArgument(first.place, _NAME),),
    )
