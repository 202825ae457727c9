"""The device that a program computes on, of whichever kind torch knows."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

_KINDS = ("cuda", "xpu", "mps", "npu", "hpu", "mlu", "musa")
"""Names of modules of torch, asked for where torch itself does not say which kind it has: CUDA and
ROCm are both `cuda`. `torch.accelerator` is there since 2.6."""
_HOSTS = frozenset({"cpu", "meta"})


class Accelerator(NamedTuple):
    """A kind of devices that is in use."""

    kind: str
    """As in `torch.device(kind)`."""
    module: Any
    """Such as `torch.cuda`."""

    @property
    def event(self) -> Any:
        """The class of marks in a stream; None where there is none."""
        own = getattr(self.module, "event", None)  # as MPS has it
        return getattr(self.module, "Event", None) or getattr(own, "Event", None)

    @property
    def activity(self) -> Any:
        """What torch's profiler calls it; None where that does not record it."""
        from torch.profiler import ProfilerActivity

        known: Any = ProfilerActivity
        own = getattr(known, self.kind.upper(), None)
        return getattr(known, "PrivateUse1", None) if own is None and self._is_plugin else own

    @property
    def _is_plugin(self) -> bool:
        core = getattr(sys.modules["torch"], "_C", None)
        asked = getattr(core, "_get_privateuse1_backend_name", None)
        return bool(asked is not None and asked() == self.kind)

    def synchronise(self) -> None:
        """Wait for the devices that the program uses. The current one may be another:
        `.to("cuda:1")` leaves it at the first."""
        if self.kind == "mps":  # which has one, without a number
            self.module.synchronize()
            return
        for number in list(self._used()) or [None]:
            self.module.synchronize(number)

    def _used(self) -> Iterable[int | None]:
        """Numbers of those in use, where there are several."""
        count = self.module.device_count() if hasattr(self.module, "device_count") else 1
        if count < 2:
            return ()
        if self.kind == "cuda":
            core: Any = sys.modules["torch"]._C
            return [n for n in range(count) if core._cuda_hasPrimaryContext(n)]
        held = getattr(self.module, "memory_allocated", None)
        return () if held is None else [n for n in range(count) if held(n)]


def in_use() -> Accelerator | None:
    """The accelerator that this process has started; None without one. Asking starts none."""
    torch: Any = sys.modules["torch"]
    for kind in _kinds(torch):
        module = getattr(torch, kind, None)
        if module is not None and _is_started(torch, kind):
            return Accelerator(kind, module)
    return None


def is_there() -> bool:
    """Whether torch finds a device."""
    torch: Any = sys.modules["torch"]
    return any(_is_available(torch, kind) for kind in _kinds(torch))


def holds(tensor: Any) -> bool:
    """Whether a tensor lies on a device."""
    return str(tensor.device).partition(":")[0] not in _HOSTS


def _kinds(torch: Any) -> Iterable[str]:
    """What torch says that it was built for, or a plug-in brought; before it, all that is known."""
    found: list[str] = []
    with suppress(Exception):
        found = [torch.accelerator.current_accelerator().type]
    return dict.fromkeys([*found, *_KINDS])


def _is_started(torch: Any, kind: str) -> bool:
    """Whether a process has it started; a kind that cannot say so has where it holds something."""
    module = getattr(torch, kind)
    if hasattr(module, "is_initialized"):
        return _asked(module, "is_initialized")
    names = ("current_allocated_memory", "memory_allocated")
    return _is_available(torch, kind) and any(_asked(module, name) for name in names)


def _is_available(torch: Any, kind: str) -> bool:
    backends = getattr(torch, "backends", None)  # where MPS was asked for before 2.8
    places = (getattr(torch, kind, None), getattr(backends, kind, None))
    return any(_asked(place, "is_available") for place in places)


def _asked(module: Any, name: str) -> bool:
    """A yes of a module that may not be able to answer."""
    try:
        return bool(getattr(module, name)())
    except Exception:
        return False
