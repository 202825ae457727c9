"""Batches that are kept and given again, each time as they were."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..content import tensors_of
from ..state import clock

_MOST, _BYTES = 8, 256 << 20
"""How many batches are kept, and from how many bytes on no further ones."""


class Kept:
    """Some batches of the training loader."""

    def __init__(self) -> None:
        self.batches: list[_Copy] = []
        self.room = False
        """Whether further batches are kept."""
        self.unkept: str | None = None
        """Why a batch could not be copied."""
        self.restoring = 0.0
        """Seconds spent on making batches what they were, which are none of the program's."""
        self._size = 0
        self._given = 0

    def keep(self, batch: Any, iterator: Any) -> None:
        """Keep a copy of a batch."""
        try:
            self.batches.append(_Copy(batch, iterator))
        except Exception as error:
            self.room, self.unkept = False, f"{type(error).__name__}: {error}"[:200]
            return
        self._size += sum(tensor.nbytes for tensor in tensors_of(batch))
        self.room = len(self.batches) < _MOST and self._size < _BYTES

    def give(self) -> Any:
        """The next one."""
        begun = clock()
        batch = self.batches[self._given % len(self.batches)].fresh()
        self._given += 1
        self.restoring += clock() - begun
        return batch


class _Copy:
    """A batch, and what the program is given in its place. Containers are made anew each time, for
    programs take things out of them; tensors, where they were written to."""

    def __init__(self, batch: Any, iterator: Any) -> None:
        self._pristine = copy.deepcopy(batch)
        self._pin = getattr(iterator, "_pin_memory", False)
        self._device = getattr(iterator, "_pin_memory_device", None)
        self._renew()

    def _renew(self) -> None:
        self._held = copy.deepcopy(self._pristine)
        if self._pin:
            pinning: Any = import_module("torch.utils.data._utils.pin_memory")
            self._held = pinning.pin_memory(self._held, self._device)
        _, self._tensors = _shell(self._held)
        self._versions = [_version(tensor) for tensor in self._tensors]

    def fresh(self) -> Any:
        """The batch as it was."""
        if self._versions != [_version(tensor) for tensor in self._tensors]:
            self._renew()
        shell, _ = _shell(self._held)
        return shell


def _version(tensor: Any) -> int:
    """How often a tensor was written to; one of inference mode does not count that."""
    return 0 if tensor.is_inference() else int(tensor._version)


def _shell(batch: Any) -> tuple[Any, list[Any]]:
    """A batch in containers of its own, with the same tensors; and these."""
    with _shared_tensors() as tensors:
        return copy.deepcopy(batch), tensors


@contextmanager
def _shared_tensors() -> Iterator[list[Any]]:
    """Tensors are not copied, but listed."""
    cls: Any = sys.modules["torch"].Tensor
    original, found = cls.__deepcopy__, []

    def same(self: Any, memo: Any) -> Any:
        found.append(self)
        return self

    cls.__deepcopy__ = same
    try:
        yield found
    finally:
        cls.__deepcopy__ = original
