"""What torch does with the argument that `deprecated-pin-memory-device` reports."""

from __future__ import annotations

import warnings

from torch.utils.data import DataLoader

DATA = list(range(4))


def _warnings(**arguments: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        next(iter(DataLoader(DATA, **arguments)))  # type: ignore[arg-type]
    return [str(w.message) for w in caught if "pin_memory_device" in str(w.message)]


def test_the_device_is_ignored_with_a_warning() -> None:
    (message,) = _warnings(pin_memory=True, pin_memory_device="cuda:1")
    assert "deprecated" in message
    assert "ignore pin_memory_device='cuda:1'" in message


def test_without_it_nothing_is_said() -> None:
    assert not _warnings(pin_memory=True)


def test_without_pinning_it_is_not_looked_at() -> None:
    assert not _warnings(pin_memory_device="no such device")
