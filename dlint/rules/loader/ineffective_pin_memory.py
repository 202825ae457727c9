"""ineffective-pin-memory: `pin_memory=True` that pins nothing, or nothing that helps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.findings.places import Place
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.few_batches import (
    begins_anew_for_each_batch,
    is_only_looked_at,
    takes_few_steps,
)
from dlint.model.machines.hardware import stays_on_cpu
from dlint.model.machines.timing import compares_settings, is_in_benchmark
from dlint.model.samples import samples
from dlint.model.samples.opaque_parts import OpaquePart, copies_more, opaque_part
from dlint.model.transfers.devices import Device
from dlint.model.transfers.host_batches import only_gathers, stays_on_host
from dlint.model.workers.device_code import samples_on_cuda

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_CUDA = "torch.cuda.is_available"
_WHERE_CUDA = f"{_CUDA}()"
_HOST = frozenset({Device.MPS, Device.CPU})

_BETWEEN = (
    "`pin_memory=True` with `num_workers=0` pins each batch in the main process, between two "
    "steps; it pays with workers, where a thread pins ahead"
)
_METHOD = "give the class a method `pin_memory` that pins its tensors and returns the object"
_FOR_NOTHING = (
    "`pin_memory=True` copies each batch to pinned memory, and the loop takes arrays of it on the "
    "CPU: nothing is copied to a GPU; leave it out"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that pin on every path, and whose batches cannot be pinned or do not need it."""
    for group in context[Loaders].told():
        found = _on_cuda(group) or (_for_nothing(group) if all(map(_pins, group)) else None)
        if found is not None:
            yield found


def _for_nothing(group: list[Loader]) -> Finding | None:
    return _opaque(group) or _on_mps(group) or _on_cpu(group) or _inline(group) or _in_part(group)


def _pins(loader: Loader) -> bool:
    """Whether `pin_memory=True` is written, rather than asked of the machine."""
    return loader.is_made and all(a.is_true and a.assumed is None for a in loader.pinning)


def _pins_with_cuda(loader: Loader) -> bool:
    """Whether it certainly pins where there is CUDA, be it that the machine is asked."""
    return loader.is_made and all(
        a.assumed is None and (a.is_true or a.maker == _CUDA) for a in loader.pinning
    )


def _on_cuda(group: list[Loader]) -> Finding | None:
    """Samples that are on CUDA already, which torch refuses to pin."""
    copies = [samples_on_cuda(x) if _pins_with_cuda(x) else None for x in group]
    first = copies[0]
    if first is None or not all(copies) or not any(x.is_iterated for x in group):
        return None
    message = (
        "pinning raises RuntimeError at the first batch where there is CUDA: the samples "
        "are on the GPU already, and only tensors of the CPU can be pinned; leave it out"
    )
    related = Related(group[0].context.place_of(first), "the samples are put on the GPU here")
    return Finding(Severity.ERROR, message, group[0].place, (related,), _off(group[0]), _at(group))


def _at(group: list[Loader]) -> Place | None:
    return group[0].argument_place("pin_memory")


def _off(loader: Loader) -> Fix | None:
    """Take the argument out, where the call itself gives it."""
    if loader.written("pin_memory") is None or not loader.is_spelled_out:
        return None
    operation = RemoveArgument(loader.place, "pin_memory", loader.position("pin_memory"), "False")
    return Fix(Applicability.SAFE, "Do not pin", (operation,))


def _opaque(group: list[Loader]) -> Finding | None:
    """Batches of a class that torch does not look into."""
    found = [samples.opaque_batches(loader) for loader in group]
    if not all(found):
        return None
    cls = found[0][0]
    message = (
        f"`pin_memory=True` pins nothing: torch does not look into a batch of class `{cls.name}`, "
        f"and says nothing of it; {_METHOD}"
    )
    return _of_class(group, message, Related(cls.place, "the class of the batches"))


def _in_part(group: list[Loader]) -> Finding | None:
    """Batches whose input is an object that torch does not look into, beside other parts."""
    found = [None if takes_few_steps(loader) else opaque_part(loader) for loader in group]
    first = found[0]
    if first is None or not all(found):
        return None
    message = (
        f"`pin_memory=True` does not pin what is copied of these batches: {_at_key(first)} is an "
        f"object of class `{first.cls.name}`, which torch does not look into, and says nothing "
        f"of it; {_METHOD}"
    )
    copied = Related(first.copy.place, "it is copied here")
    found_ = _of_class(group, message, Related(first.cls.place, "its class"), copied)
    beside = any(map(copies_more, group))
    return found_._replace(severity=Severity.INFO) if beside else found_


def _at_key(part: OpaquePart) -> str:
    return f"`{part.key}`" if isinstance(part.key, str) else "their first part"


def _of_class(group: list[Loader], message: str, *related: Related) -> Finding:
    given = group[0].given_place("pin_memory")
    of_argument = () if given is None else (Related(given, "`pin_memory` is given here"),)
    shown = (*related, *of_argument)
    return Finding(Severity.WARNING, message, group[0].place, shown, argument=_at(group))


def _on_mps(group: list[Loader]) -> Finding | None:
    """Batches that go to Apple's GPU, for which torch does not pin."""
    copies = [t for loader in group for t in loader.transfers]
    reached = {device for t in copies for device in t.devices}
    if Device.MPS not in reached or not reached <= _HOST:
        return None
    message = (
        "`pin_memory=True` does nothing: the batches go to an MPS device, for which torch does "
        "not pin, and warns of it; pin where CUDA is available only"
    )
    related = Related(copies[0].place, "the batch is copied here")
    return Finding(Severity.WARNING, message, group[0].place, (related,), _fix(group), _at(group))


def _on_cpu(group: list[Loader]) -> Finding | None:
    """Batches that stay on the CPU, in a program that knows of no other device."""
    context = group[0].context
    copies = [t for loader in group for t in loader.transfers]
    moved = any(t.devices - {Device.CPU} for t in copies) or any(
        context[Consumption].of(loader.made) for loader in group
    )
    if moved or not context[stays_on_cpu]:
        return None
    if not all(loader.is_iterated for loader in group):
        return None
    message = (
        "`pin_memory=True` does nothing in a program that stays on the CPU, and torch 2.7 and "
        "newer warn of it; pin where CUDA is available only, or leave it out"
    )
    return Finding(Severity.INFO, message, group[0].place, (), _fix(group), _at(group))


def _inline(group: list[Loader]) -> Finding | None:
    """Pinning by the main process itself, since no worker is there to wait for."""
    if not all(x.workers.is_written_zero for x in group) or any(x.may_be_replaced for x in group):
        return None
    if not any(loader.is_iterated for loader in group):
        return None
    if all(begins_anew_for_each_batch(x) or is_only_looked_at(x) for x in group):
        return None
    if any(is_in_benchmark(x) or compares_settings(x) for x in group):
        return None
    if any(map(only_gathers, group)):
        return None  # nobody knows whether samples that are only listed hold tensors to pin
    if all(map(stays_on_host, group)):
        return Finding(Severity.INFO, _FOR_NOTHING, group[0].place, (), _off(group[0]), _at(group))
    return Finding(Severity.INFO, _BETWEEN, group[0].place, argument=_at(group))


def _fix(group: list[Loader]) -> Fix | None:
    """Ask the machine, where the call itself gives the argument."""
    first = group[0]
    if first.written("pin_memory") is None or not first.is_spelled_out:
        return None
    operation = SetArgument(first.place, "pin_memory", _WHERE_CUDA, first.position("pin_memory"))
    return Fix(Applicability.SAFE, "Pin where CUDA is available", (operation,))
