"""What the batches hold: hashes, seeds, and random streams that do not depend on the workers."""

from __future__ import annotations

import ctypes
import hashlib
import random
import sys
from collections.abc import Callable
from typing import Any

from . import accelerator
from .state import Loader


def seed_everything(seed: int) -> None:
    """Seed the global generators, as an unseeded program would not."""
    torch: Any = sys.modules["torch"]
    torch.manual_seed(seed)
    _seed_others(seed)


def _seed_others(seed: int) -> None:
    random.seed(seed)
    numpy: Any = _numpy()
    if numpy is not None:
        numpy.random.seed(seed)


def streams() -> str:
    """Where the random streams of this process stand, as a hash."""
    torch: Any = sys.modules["torch"]
    found = [torch.get_rng_state(), repr(random.getstate())]
    device = accelerator.in_use()
    if device is not None and hasattr(device.module, "get_rng_state"):
        found.append(device.module.get_rng_state())
    numpy: Any = _numpy()
    if numpy is not None:
        found += numpy.random.get_state()[1:3]
    return digest(found)


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def digest(value: Any, rows: bool = True) -> str:
    """A hash of nested tensors, arrays and plain values, with their shapes and types; without the
    `rows` of tensors, if those have hashes of their own."""
    state = hashlib.sha1(usedforsecurity=False)
    _feed(state.update, value, rows)
    return state.hexdigest()[:18]


def _feed(update: Callable[[Any], None], value: Any, rows: bool = True) -> None:
    torch: Any = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        update(f"{value.dtype}{tuple(value.shape)}".encode())
        if value.numel() and not value.is_sparse and (rows or not value.dim()):
            flat = value.detach().cpu().contiguous()
            update((ctypes.c_char * flat.nbytes).from_address(flat.data_ptr()))
    elif isinstance(value, dict):
        for key in value:
            update(repr(key).encode())
            _feed(update, value[key], rows)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _feed(update, item, rows)
    elif hasattr(value, "tobytes"):
        update(value.tobytes())
    elif isinstance(value, (str, bytes, int, float, bool, type(None))):
        update(repr(value).encode())
    else:
        update(type(value).__name__.encode())
        _feed(update, getattr(value, "data", None) if hasattr(value, "data") else None, rows)


def note(loader: Loader, batch: Any) -> None:
    """Keep the hashes of a batch and of its samples."""
    tensors = list(tensors_of(batch))
    size = sum(t.nbytes for t in tensors)
    if loader.hashes:
        samples = [digest(sample) for sample in _samples(batch)]
        loader.hashes[-1].append(digest([digest(batch, rows=not samples), samples]))
        loader.samples[-1] += samples
        loader.hashed += size
    loader.batch_bytes = max(loader.batch_bytes, size)
    if loader.pinned is None and tensors and not accelerator.holds(tensors[0]):
        loader.pinned = bool(_is_pinned(tensors[0]))


def _is_pinned(tensor: Any) -> bool:
    """Whether the host cannot move it; asked where there is a device, which older versions would
    start else."""
    return bool(accelerator.is_there() and tensor.is_pinned())


def _samples(batch: Any) -> list[Any]:
    """The rows of the tensors of a batch; empty when they do not agree on how many there are."""
    tensors = [t for t in tensors_of(batch) if t.dim() > 0]
    sizes = {int(t.shape[0]) for t in tensors}
    if len(sizes) != 1:
        return []
    return [[t[row] for t in tensors] for row in range(sizes.pop())]


def tensors_of(value: Any) -> Any:
    torch: Any = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_of(item)


def align(fetcher: Any, seed: int) -> None:
    """Make what a dataset draws depend on the indices alone, not on worker or iterator."""
    original = fetcher.fetch

    def fetch(self: Any, indices: Any) -> Any:
        torch, numpy = sys.modules["torch"], _numpy()
        kept = torch.get_rng_state(), random.getstate()
        kept_numpy = None if numpy is None else numpy.random.get_state()
        key = hashlib.blake2b(f"{seed}{indices!r}".encode(), digest_size=4).digest()
        number = int.from_bytes(key, "big")
        torch.default_generator.manual_seed(number)  # those of devices belong to the model
        _seed_others(number)
        try:
            return original(self, indices)
        finally:
            torch.set_rng_state(kept[0])
            random.setstate(kept[1])
            if numpy is not None:
                numpy.random.set_state(kept_numpy)

    fetcher.fetch = fetch
